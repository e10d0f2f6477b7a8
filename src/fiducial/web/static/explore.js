(function () {
  "use strict";
  var place = document.getElementById("explore");
  if (!place || !window.vegaEmbed) { return; }
  var canvas = place.querySelector("[data-canvas]");
  var note = place.querySelector("[data-note]");
  var tabs = place.querySelector("[data-tabs]");
  var sort = place.querySelector("[data-sort]");
  var only = place.querySelector("[data-only]");
  var tip = place.querySelector("[data-tip]");
  var charts = [];
  var shown = null;
  var view = null;

  // The mean of each name's rows, or its words, decides its place.
  function order(rows, by) {
    var down = by.charAt(0) === "-";
    var field = down ? by.slice(1) : by;
    var seen = {};
    rows.forEach(function (row) { (seen[row.name] = seen[row.name] || []).push(row[field]); });
    function key(name) {
      var own = seen[name];
      return typeof own[0] === "number" ? own.reduce(function (a, b) { return a + b; }, 0) / own.length : own[0];
    }
    return Object.keys(seen).sort(function (a, b) {
      var x = key(a), y = key(b);
      if (x === y) { return a < b ? -1 : 1; }
      return (x < y ? -1 : 1) * (down ? -1 : 1);
    });
  }

  // Every y that carries names takes their order.
  function sorted(part, names) {
    if (!part || typeof part !== "object") { return; }
    if (part.encoding && part.encoding.y && part.encoding.y.field === "name") { part.encoding.y.sort = names; }
    (part.layer || []).forEach(function (one) { sorted(one, names); });
  }

  // Text alone: nothing in a chart is ever taken for markup.
  function pointed(handler, event, item, value) {
    var row = item && item.datum && item.datum.said ? item.datum : null;
    tip.hidden = !row;
    if (!row) { return; }
    tip.replaceChildren();
    var name = document.createElement("strong");
    name.textContent = row.name;
    var said = document.createElement("span");
    said.textContent = row.said;
    tip.append(name, said);
    var box = place.getBoundingClientRect();
    var left = Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth - 4);
    tip.style.left = Math.max(0, left) + "px";
    tip.style.top = event.clientY - box.top + 16 + "px";
  }

  function draw() {
    var rows = shown.rows.filter(function (row) { return !only.checked || only.parentElement.hidden || row.on; });
    var spec = JSON.parse(JSON.stringify(shown.spec));
    spec.data = { values: rows.map(function (row) { return Object.assign({}, row); }) };
    var names = order(rows, sort.value || "name");
    if (sort.value) { sorted(spec, names); }
    if (spec.height.step) { spec.height = spec.height.step * Math.max(1, names.length); }
    spec.config.axisY = { labelLimit: Math.min(260, canvas.clientWidth * 0.42) };
    (spec.layer || [spec]).forEach(function (one) {
      if (one.mark && one.encoding && one.mark.cursor) { one.encoding.tooltip = { field: "said" }; }
    });
    note.textContent = rows.length ? shown.note : "Nothing here is " + shown.switch.replace(" only", "") + ".";
    canvas.setAttribute("aria-label", shown.title + ". " + shown.note);
    if (view) { view.finalize(); }
    return window.vegaEmbed(canvas, spec, {
      mode: "vega-lite", ast: true, actions: false, renderer: "svg", defaultStyle: false,
      tooltip: function (handler, event, item, value) { pointed(handler, event, item, value); }
    }).then(function (made) {
      view = made;
      made.view.addEventListener("click", function (event, item) {
        if (item && item.datum && item.datum.href) { window.location.assign(item.datum.href); }
      });
      canvas.dataset.drawn = shown.id;
    });
  }

  function choose(chart) {
    shown = chart;
    tip.hidden = true;
    tabs.querySelectorAll("button").forEach(function (one) {
      one.setAttribute("aria-pressed", String(one.dataset.id === chart.id));
    });
    sort.replaceChildren();
    Object.keys(chart.sorts).forEach(function (title) {
      var option = document.createElement("option");
      option.textContent = title;
      option.value = chart.sorts[title];
      sort.append(option);
    });
    sort.parentElement.hidden = !sort.options.length;
    only.parentElement.hidden = !chart.switch;
    only.nextElementSibling.textContent = chart.switch || "";
    return draw();
  }

  sort.addEventListener("change", draw);
  only.addEventListener("change", draw);
  fetch(place.dataset.from).then(function (answer) {
    if (!answer.ok) { throw new Error("no charts"); }
    return answer.json();
  }).then(function (found) {
    charts = found;
    if (!charts.length) { return undefined; }
    charts.forEach(function (chart) {
      var button = document.createElement("button");
      button.type = "button";
      button.dataset.id = chart.id;
      button.textContent = chart.title;
      button.addEventListener("click", function () { choose(chart); });
      tabs.append(button);
    });
    tabs.hidden = charts.length === 1;
    place.hidden = false;
    return choose(charts[0]);
  }).catch(function () { place.hidden = true; });
})();
