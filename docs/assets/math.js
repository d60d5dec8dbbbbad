/* Formulas are in the page as text; KaTeX, shipped with the site, sets them. */
document.addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll(".arithmatex").forEach(function (element) {
    var text = element.textContent.trim(), display = text.startsWith("\\[");
    katex.render(text.slice(2, -2), element, { displayMode: display, throwOnError: false });
  });
});
