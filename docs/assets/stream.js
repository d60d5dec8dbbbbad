/* The first story of the home page comes token by token, as a model writes; all at once for those who ask for less motion. */
document.addEventListener("DOMContentLoaded", function () {
  var block = document.querySelector(".story code");
  if (!block || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  var words = block.textContent.split(/(?<= )/), at = 0;
  block.setAttribute("aria-label", block.textContent);
  block.textContent = "";
  (function next() {
    if (at < words.length) { block.textContent += words[at++]; setTimeout(next, 45); }
  })();
});
