// Runs before the first paint, so that the other theme does not flash.
// The script is a file, because the page allows no inline scripts.
(function () {
  try {
    const theme = localStorage.getItem("capstan.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage, the system's theme applies.
  }
})();
