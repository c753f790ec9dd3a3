// Before the first paint, so that a chosen theme does not flash; a file, since the page allows no inline script.
(function () {
  try {
    const theme = localStorage.getItem("capstan.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's choice holds.
  }
})();
