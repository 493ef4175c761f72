(() => {
  'use strict';
  const held = document.getElementById('page-data');
  const data = held ? JSON.parse(held.textContent) : {};
  const all = (query, root) => [...(root || document).querySelectorAll(query)];
  const set = (element, values) => { for (const name in values) element.setAttribute(name, values[name]); };
  const say = (name, text) => all('[data-out="' + name + '"]').forEach(element => { element.textContent = text; });
  const share = (value, digits = 0) => (100 * value).toFixed(digits) + '%';
  const fine = value => value > 0.9995 ? '>99.9%' : value < 0.0005 ? '<0.1%' : share(value, value < 0.0995 || value > 0.9005 ? 1 : 0);
  const logit = p => Math.log(p / (1 - p)), chance = z => 1 / (1 + Math.exp(-z));
  const DECIBANS = 10 / Math.LN10, LETTER = 6.4;

  // Places of a panel: two ends in units, two in values.
  const ruler = text => {
    const [a, b, from, to] = text.split(' ').map(Number);
    return { at: value => a + (value - from) / (to - from) * (b - a), a, b, from, to };
  };
  const each = (figure, by, act) => all('#fig-' + figure + ' [data-live="' + by + '"]').forEach(group => {
    const panel = group.closest('.panel');
    act(group, ruler(panel.dataset.x), ruler(panel.dataset.y));
  });
  const within = (value, axis) => Math.min(Math.max(value, Math.min(axis.a, axis.b)), Math.max(axis.a, axis.b));

  const lab = data.console, row = data.row;
  const own = lab ? lab.events / (lab.events + lab.others) : 0.5;
  const start = { threshold: lab ? lab.threshold : 0.5, prevalence: own };
  const state = { ...start };

  // Weights of called rows from a probability up; `cuts` fall from the highest probability.
  const called = from => {
    let low = 0, high = lab.cuts.length;
    while (low < high) { const middle = (low + high) >> 1; if (lab.cuts[middle][0] >= from - 1e-9) low = middle + 1; else high = middle; }
    return low ? [lab.cuts[low - 1][1], lab.cuts[low - 1][2]] : [0, 0];
  };
  // Probabilities move with the prevalence, so a threshold on them is another one on those of the rows.
  const onRows = (threshold, prevalence) => prevalence === own ? threshold : chance(logit(threshold) - logit(prevalence) + logit(own));
  const rates = (threshold, prevalence) => {
    const [hits, alarms] = called(onRows(threshold, prevalence));
    return { hit: hits / lab.events, alarm: alarms / lab.others };
  };
  const wilson = (p, n) => {
    const z = 1.959963984540054, middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    const half = z / (1 + z * z / n) * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    return share(Math.max(0, middle - half)) + '\u2013' + share(Math.min(1, middle + half));
  };
  // Whole numbers that add up to a thousand: the largest remainders are rounded up.
  const thousand = parts => {
    const whole = parts.map(part => Math.floor(1000 * part + 1e-9));
    const order = parts.map((part, i) => [1000 * part - whole[i], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const short = 1000 - whole.reduce((a, b) => a + b);
    for (let i = 0; i < short; i++) whole[order[i % 4][1]]++;
    return whole;
  };

  let timer;
  const drawConsole = () => {
    const { threshold: t, prevalence: q } = state, r = rates(t, q);
    const parts = [q * r.hit, (1 - q) * r.alarm, q * (1 - r.hit), (1 - q) * (1 - r.alarm)], whole = thousand(parts);
    ['tp', 'fp', 'fn', 'tn'].forEach((name, i) => say(name, whole[i]));
    say('sensitivity', share(r.hit)); say('sensitivity-ci', wilson(r.hit, lab.eventRows));
    say('specificity', share(1 - r.alarm)); say('specificity-ci', wilson(1 - r.alarm, lab.otherRows));
    const positive = parts[0] + parts[1], negative = parts[2] + parts[3];
    say('ppv', positive < 5e-4 ? 'none called' : share(parts[0] / positive));
    say('npv', negative < 5e-4 ? 'all called' : share(parts[3] / negative));
    const said = whole[0] + whole[1] === 0 ? lab.words.none
      : lab.words.of.replace('{has}', whole[0] + whole[2]).replace('{called}', whole[0] + whole[1]).replace('{found}', whole[0]).replace('{missed}', whole[2]);
    say('said', said);
    clearTimeout(timer);
    timer = setTimeout(() => say('spoken', said), 600);
    let left = 0;
    all('.crowd rect').forEach((bar, i) => { set(bar, { x: left.toFixed(1), width: (1000 * parts[i]).toFixed(1) }); left += 1000 * parts[i]; });
    each('roc', 'threshold', (g, x, y) => set(g.firstElementChild, { cx: x.at(r.alarm).toFixed(1), cy: y.at(r.hit).toFixed(1) }));
    const rule = (g, x, value) => { const at = within(x.at(value), x).toFixed(1); set(g.firstElementChild, { x1: at, x2: at }); };
    each('decision', 'threshold', (g, x) => rule(g, x, t));
    each('spread', 'threshold', (g, x) => rule(g, x, onRows(t, q)));
    // Of every step the part that lies between the ends of the axis.
    const curve = benefit => (g, x, y) => {
      let d = '', joined = false;
      for (let c = 2; c < 100 && c / 100 <= x.to; c++) {
        const a = benefit((c - 1) / 100), b = benefit(c / 100), flat = a === b;
        const [one, other] = flat ? [a < y.from || a > y.to ? 2 : 0, 1] : [(y.from - a) / (b - a), (y.to - a) / (b - a)];
        const enter = Math.max(0, Math.min(one, other)), leave = Math.min(1, Math.max(one, other));
        const point = t => x.at((c - 1 + t) / 100).toFixed(1) + ' ' + y.at(a + t * (b - a)).toFixed(1);
        const seen = flat ? one === 0 : enter <= leave;
        if (seen) d += (joined && enter === 0 ? '' : 'M' + point(enter)) + 'L' + point(leave);
        joined = seen && leave === 1;
      }
      const path = g.querySelector('path');
      if (path) set(path, { d: d || 'M0 0' });
    };
    each('decision', 'model', curve(c => { const w = rates(c, q); return q * w.hit - (1 - q) * w.alarm * c / (1 - c); }));
    each('decision', 'all', curve(c => q - (1 - q) * c / (1 - c)));
  };

  // One row: its steps keep their size, and begin elsewhere.
  const drawRow = () => {
    const move = DECIBANS * (logit(state.prevalence) - logit(own));
    const bar = (by, from, to, text) => each('waterfall', by, (g, x) => {
      const a = within(x.at(from), x), b = within(x.at(to), x), rect = g.querySelector('rect'), label = g.querySelector('text');
      if (rect) set(rect, { x: Math.min(a, b).toFixed(1), width: Math.max(0.5, Math.abs(b - a)).toFixed(1) });
      if (label) {
        // Behind the end of the bar, or beyond zero, or on the bar: where there is room. A hidden drawing cannot be measured.
        const room = 6 + LETTER * text.length, zero = within(x.at(0), x), right = to >= 0;
        const behind = right ? b + room <= x.b + 12 : b - room >= x.a, beyond = !right || zero - room >= x.a;
        const start = right ? behind : !behind;
        set(label, { x: ((behind || !beyond ? b : zero) + (start ? 6 : -6)).toFixed(1), 'text-anchor': start ? 'start' : 'end' });
        const on = !behind && !beyond;
        label.classList.toggle('on', on); label.classList.toggle('halo', !on);
        label.textContent = text;
      }
    });
    let sum = DECIBANS * row.prior + move;
    bar('prior', 0, sum, fine(chance(sum / DECIBANS)));
    row.steps.forEach((step, i) => { bar('step' + i, sum, sum + DECIBANS * step, ''); sum += DECIBANS * step; });
    bar('result', 0, sum, fine(chance(sum / DECIBANS)));
    say('result', fine(chance(sum / DECIBANS)));
  };

  const draw = () => {
    say('threshold', share(state.threshold)); say('prevalence', fine(state.prevalence));
    if (lab) drawConsole();
    if (row && row.moves) drawRow();
    all('input[data-for]').forEach(input => {
      const prevalence = input.dataset.for === 'prevalence';
      input.value = prevalence ? DECIBANS * logit(state.prevalence) : Math.round(100 * state.threshold);
      input.setAttribute('aria-valuetext', prevalence ? fine(state.prevalence) : share(state.threshold));
    });
  };
  all('input[data-for]').forEach(input => input.addEventListener('input', () => {
    if (input.dataset.for === 'prevalence') state.prevalence = chance(input.valueAsNumber / DECIBANS);
    else state.threshold = input.valueAsNumber / 100;
    draw();
  }));
  all('button[data-reset]').forEach(button => button.addEventListener('click', () => { Object.assign(state, start); draw(); }));
  all('[data-script]').forEach(element => { element.hidden = false; });

  // Pictures and tables to take away.
  const save = (name, type, text) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const PAINT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-size', 'font-family', 'font-weight'];
  all('figure').forEach(figure => {
    const name = figure.id.replace('fig-', ''), tools = document.createElement('p');
    tools.className = 'tools';
    const add = (label, what, act) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.setAttribute('aria-label', 'Save ' + what + ' as ' + label);
      button.addEventListener('click', act);
      tools.append(button);
    };
    const seen = () => all('svg.fig', figure).find(svg => svg.getClientRects().length);
    // A saved picture has the colours of the light page written out, so that every program can read it.
    if (seen()) add('SVG', 'the picture ' + name, () => {
      const shown = seen(), copy = shown.cloneNode(true), from = [shown, ...all('*', shown)], to = [copy, ...all('*', copy)];
      document.documentElement.classList.add('light');
      from.forEach((element, i) => {
        const style = getComputedStyle(element), text = element.tagName === 'text';
        for (const property of PAINT)
          if (i && element.tagName !== 'g' && (text || !property.startsWith('font'))) to[i].setAttribute(property, style.getPropertyValue(property));
        to[i].removeAttribute('class');
      });
      document.documentElement.classList.remove('light');
      save(name + '.svg', 'image/svg+xml', new XMLSerializer().serializeToString(copy));
    });
    const table = figure.querySelector('details table');
    if (table) add('CSV', 'the data of ' + name, () => save(name + '.csv', 'text/csv', [...table.rows].map(cells => [...cells.cells].map(cell => {
      const text = cell.textContent;
      return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    }).join(',')).join('\n') + '\n'));
    if (tools.children.length) figure.append(tools);
  });
  draw();
})();
