(function () {
  "use strict";

  // A part of the page that stays up to date: [data-live] names where its content comes from.
  // What a person has ticked, or is about to click, survives a refresh.
  function refresh(part) {
    if (document.hidden || part.contains(document.activeElement)) { return Promise.resolve(); }
    return fetch(part.dataset.live, { headers: { "X-Requested-With": "fiducial" } }).then(function (answer) {
      return answer.ok ? answer.text() : null;
    }).then(function (text) {
      if (text === null) { return; }
      var ticked = Array.from(part.querySelectorAll("input:checked")).map(function (one) { return one.value; });
      part.innerHTML = text;
      part.querySelectorAll("input[type=checkbox]").forEach(function (one) {
        one.checked = ticked.indexOf(one.value) >= 0;
      });
    }).catch(function () { /* the server has gone: what is shown stays */ });
  }
  document.querySelectorAll("[data-live]").forEach(function (part) {
    function again() {
      window.setTimeout(function () { refresh(part).then(again); }, Number(part.dataset.every) || 2000);
    }
    again();
  });

  // Filters apply as soon as they are chosen; the button stays for those who type.
  document.querySelectorAll("form[data-auto]").forEach(function (form) {
    form.addEventListener("change", function (event) {
      if (event.target.matches("select")) { form.submit(); }
    });
  });

  // Exactly two runs can be compared.
  document.querySelectorAll("form[data-pair]").forEach(function (form) {
    var button = form.querySelector("button[type=submit]");
    var said = form.querySelector("[data-said]");
    function count() {
      var n = form.querySelectorAll("input[name=run]:checked").length;
      button.disabled = n !== 2;
      said.textContent = n === 0 || n === 2 ? "" : n === 1 ? "One more." : "Two at a time.";
    }
    form.addEventListener("change", count);
    count();
  });

  // A form that cannot be undone asks first.
  document.querySelectorAll("form[data-ask]").forEach(function (form) {
    form.addEventListener("submit", function (event) {
      if (!window.confirm(form.dataset.ask)) { event.preventDefault(); }
    });
  });
})();
