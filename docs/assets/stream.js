/* The first story of the home page comes word by word, as a model writes, and nothing else on the page moves; all at once for
 * those who ask for less motion. */
document.addEventListener("DOMContentLoaded", function () {
  var block = document.querySelector(".story pre"), words = [];
  if (!block || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  block.style.minHeight = block.offsetHeight + "px";
  block.querySelectorAll(".go").forEach(function (line) {
    line.setAttribute("aria-label", line.textContent);
    line.textContent.split(/(?<= )/).forEach(function (word) { words.push([line, word]); });
    line.textContent = "";
  });
  (function next() {
    if (words.length === 0) return;
    var word = words.shift();
    word[0].textContent += word[1];
    setTimeout(next, 45);
  })();
});
