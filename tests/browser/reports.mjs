// Reports in a real browser: node reports.mjs ODDSMITH EXAMPLES CHROMIUM
// Each is written by the command, opened from its file, and held to what its readers rely on.

import fs from 'node:fs';
import path from 'node:path';
import { accessible, check, folder, ids, layout, oddsmith, open, run } from './page.mjs';
import { writeTables } from './tables.mjs';

const FORMULA = 'low ~ age + lwt + race + smoke + ht + ui';
writeTables(folder);
oddsmith('fit', 'births.csv', FORMULA, '-o', 'low.odds', '-q');
oddsmith('fit', 'births.csv', 'low ~ age + lwt', '--solver', 'gradient', '--max-steps', '2', '-o', 'unfinished.odds', '-q');
const REPORTS = {
  births: ['births.csv', FORMULA],
  'births on new rows': ['low.odds', 'new.csv'],
  'births without rows': ['low.odds'],
  'no single row': ['low.odds', 'new.csv', '--no-rows'],
  iris: ['iris.csv', '--target', 'Species', '--model', 'qda'],
  text: ['spam.txt', '--model', 'multinomial-nb'],
  tree: ['births.csv', '--target', 'low', '--exclude', 'bwt', '--model', 'tree'],
  'not converged': ['unfinished.odds', 'births.csv'],
  margins: ['births.csv', '--target', 'low', '--features', 'age,lwt,smoke', '--model', 'perceptron'],
  hostile: ['hostile.csv', '--target', '<b>label</b>', '--model', 'nb'],
  'long names, gaps and weights': ['wards.csv', '--target', 'outcome after discharge', '--weight', 'sampling weight', '--model', 'logistic'],
  'sixty columns': ['sixty.csv', 'relapse ~ .'],
  'ten rows': ['ten.csv', '--target', 'cured'],
  'ten classes': ['digits.csv', '--target', 'which', '--model', 'lda'],
};

// Columns that a model takes, where it does not take all.
const COLUMNS = { 'categorical-nb': 'race', 'bernoulli-nb': 'smoke,ht,ui', 'multinomial-nb': 'lwt,age', 'complement-nb': 'lwt,age' };
// Models of categories and flags have nothing to learn from irises.
const NOT_OF_NUMBERS = ['categorical-nb', 'bernoulli-nb'];
// Classes that a line tells apart need a penalty.
const PENALISED = { logistic: ['--l2', '0.1'], 'one-vs-rest': ['--l2', '0.1'] };

const cells = page => page.evaluate(() => ['tp', 'fp', 'fn', 'tn'].map(name => Number(document.querySelector(`[data-out="${name}"]`).textContent)));

const moveSliders = async (page, report) => {
  const sliders = await page.$$('input[type=range]');
  if (!sliders.length) return;
  const before = await cells(page);
  const states = new Set();
  for (const slider of sliders) {
    for (const key of ['Home', 'End', 'ArrowLeft', 'ArrowRight', 'PageDown']) {
      await slider.focus();
      await page.keyboard.press(key);
      const now = await cells(page);
      states.add(now.join());
      check(report, 'cells add up to 1000', now.reduce((a, b) => a + b) === 1000, now.join(' + '));
      const values = await page.$$eval('input[data-for=prevalence]', list => [...new Set(list.map(input => input.value))]);
      check(report, 'all sliders of the prevalence agree', values.length === 1, values.join(' and '));
      const text = await slider.getAttribute('aria-valuetext');
      check(report, 'a slider says its value', /%$/.test(text ?? ''), text);
    }
  }
  check(report, 'keys move the sliders', states.size > 3, states.size);
  await page.click('button[data-reset]');
  check(report, 'the way back leads to the start', (await cells(page)).join() === before.join());
};

const downloads = async (page, report) => {
  for (const label of ['SVG', 'CSV']) {
    const button = await page.$(`.tools button:text-is("${label}")`);
    if (!button) continue;
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    const text = fs.readFileSync(await download.path(), 'utf8');
    if (label === 'SVG') check(report, 'a saved picture has its colours', text.startsWith('<svg') && /fill="rgb/.test(text) && !/var\(|class=/.test(text));
    else check(report, 'saved data are a table', text.split('\n').length > 2 && text.includes(','));
  }
};

// On paper a page is light and has nothing to press, whatever its reader's screen is like.
const onPaper = async (page, report) => {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const found = await page.evaluate(() => {
    const root = getComputedStyle(document.documentElement), luminance = text => { const [r, g, b] = text.match(/[\d.]+/g).map(Number); return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255; };
    const seen = query => [...document.querySelectorAll(query)].filter(element => element.getClientRects().length).map(element => element.outerHTML.slice(0, 60));
    const inks = [...document.querySelectorAll('.fig text, p, td, h2')].filter(element => element.getClientRects().length).map(element => getComputedStyle(element).color);
    const light = [...new Set(inks)].filter(colour => luminance(colour) > 0.5);
    const texts = [...document.querySelectorAll('.fig text:not(.on)')].map(text => getComputedStyle(text).fill);
    return {
      controls: seen('input, button, nav, .tools, .skip'),
      ground: luminance(getComputedStyle(document.body).backgroundColor),
      scheme: root.colorScheme,
      page: root.getPropertyValue('--page').trim(),
      light: [...light, ...[...new Set(texts)].filter(fill => luminance(fill) > 0.5)],
    };
  });
  check(report, 'controls are not printed', found.controls.length === 0, found.controls.join(' '));
  check(report, 'paper is white', found.ground > 0.999 && found.page === '#fff' && found.scheme === 'light', JSON.stringify(found));
  check(report, 'print is dark on light', found.light.length === 0, found.light.join());
  await page.emulateMedia({ media: null, colorScheme: 'dark' });
};

const withoutScript = async (browser, file, report) => {
  const { context, page } = await open(browser, file, { javaScriptEnabled: false });
  check(report, 'sliders are hidden without script', (await page.$$('input[type=range]:visible')).length === 0);
  const numbers = await page.$$eval('[data-out="tp"], [data-out="tn"]', list => list.map(cell => cell.textContent)).catch(() => []);
  check(report, 'numbers stand without script', numbers.every(text => /^\d+$/.test(text)), numbers.join());
  await context.close();
};

const read = async (browser, file, report) => {
  const source = fs.readFileSync(file, 'utf8');
  check(report, 'at most 400 KB', source.length <= 400_000, source.length);
  const markup = source.replace(/<script[\s\S]*?<\/script>/g, '').replace(/<style[\s\S]*?<\/style>/g, '');
  check(report, 'no style attribute', !/\sstyle=/.test(markup));
  const stray = markup.match(/.{30}(NaN|Infinity|undefined|\binf\b).{20}/);
  check(report, 'no number that is none', !stray, stray?.[0]);
  const { context, page, seen } = await open(browser, file, {});
  check(report, 'one request', seen.requests.length === 1, seen.requests.join(' '));
  const twice = await ids(page);
  check(report, 'ids are unique', twice.length === 0, twice.join());
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('svg[role=img]')].filter(svg => !svg.querySelector('title')?.textContent || !svg.querySelector('desc')?.textContent).map(svg => svg.closest('figure')?.id));
  check(report, 'every picture has a name and a description', unnamed.length === 0, unnamed.join());
  await layout(page, report);
  await page.setViewportSize({ width: 1180, height: 900 });
  await moveSliders(page, report);
  await downloads(page, report);
  await accessible(page, report, 'light');
  check(report, 'it prints', (await page.pdf()).length > 10_000);
  await page.setViewportSize({ width: 390, height: 900 });
  await accessible(page, report, 'light at 390');
  check(report, 'nothing on the console', seen.messages.length === 0, seen.messages.join(' | '));
  await context.close();
  const dark = await open(browser, file, { colorScheme: 'dark' });
  await accessible(dark.page, report, 'dark');
  await onPaper(dark.page, report);
  await dark.context.close();
  await withoutScript(browser, file, report);
};

// Every model of the registry, of two classes and of three, cross-validated, on rows that it has not seen, and without rows.
const everyModel = async browser => {
  const names = oddsmith('models', '--format', 'csv').trim().split('\n').slice(1).map(line => line.split(',')[0]);
  let written = 0;
  for (const name of names) {
    const births = ['--target', 'low', '--features', COLUMNS[name] ?? 'age,lwt,smoke,ht', '--model', name];
    oddsmith('fit', 'births.csv', ...births, '-o', 'model.odds', '-q');
    const reports = { 'two classes': ['births.csv', ...births], 'new rows': ['model.odds', 'new.csv'], 'no rows': ['model.odds'] };
    if (!NOT_OF_NUMBERS.includes(name)) reports['three classes'] = ['iris.csv', '--target', 'Species', '--model', name, ...(PENALISED[name] ?? [])];
    for (const [what, words] of Object.entries(reports)) {
      const report = `${name}, ${what}`, file = path.join(folder, 'model.html');
      oddsmith('report', ...words, '-o', file, '-q');
      written += 1;
      check(report, 'at most 400 KB', fs.statSync(file).size <= 400_000, fs.statSync(file).size);
      const { context, page, seen } = await open(browser, file, {});
      const twice = await ids(page);
      check(report, 'ids are unique', twice.length === 0, twice.join());
      await layout(page, report);
      check(report, 'nothing on the console', seen.messages.length === 0, seen.messages.join(' | '));
      await context.close();
    }
  }
  return written;
};

// Shares as the page writes them.
const whole = value => `${(100 * value).toFixed(0)}%`;
// Whole numbers that add up to a thousand: the largest remainders are rounded up.
const thousand = parts => {
  const counts = parts.map(part => Math.floor(1000 * part + 1e-9));
  const order = parts.map((part, i) => [1000 * part - counts[i], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  order.slice(0, 1000 - counts.reduce((a, b) => a + b)).forEach(([, i]) => { counts[i] += 1; });
  return counts;
};

// What the command says of a model at a threshold.
const judged = (model, threshold) => {
  const metrics = oddsmith('evaluate', model, 'new.csv', '--threshold', String(threshold), '--show', 'metrics', '--format', 'csv', '-q').split('\n');
  const of = name => Number(metrics.find(line => line.startsWith(`${name},`)).split(',')[1]);
  return { sensitivity: of('sensitivity'), specificity: of('specificity'), precision: of('precision'), negative: of('negative_predictive_value') };
};

// The page says what the command says: at its threshold, after the threshold is moved, and where the event is rarer.
const agreement = async (browser, file) => {
  const { context, page } = await open(browser, file, {});
  const shown = () => page.evaluate(() => Object.fromEntries(['sensitivity', 'specificity', 'ppv', 'npv'].map(name => [name, document.querySelector(`[data-out="${name}"]`).textContent])));
  const rows = fs.readFileSync(path.join(folder, 'new.csv'), 'utf8').trim().split('\n'), place = rows[0].split(',').indexOf('low');
  const own = rows.slice(1).filter(row => row.split(',')[place] === 'yes').length / (rows.length - 1);
  const threshold = () => page.$eval('input[data-for=threshold]', input => Number(input.value) / 100);
  const told = async (what, values, prevalence) => {
    const { sensitivity, specificity } = values, now = await shown();
    const parts = [prevalence * sensitivity, (1 - prevalence) * (1 - specificity), prevalence * (1 - sensitivity), (1 - prevalence) * specificity];
    const value = (part, all, none) => all < 5e-4 ? none : whole(part / all);
    const wanted = { sensitivity: whole(sensitivity), specificity: whole(specificity), ppv: value(parts[0], parts[0] + parts[1], 'none called'), npv: value(parts[3], parts[2] + parts[3], 'all called') };
    for (const [name, text] of Object.entries(wanted)) check('agreement', `${name} ${what}`, now[name] === text, `${now[name]} and ${text}`);
    const counts = await cells(page);
    check('agreement', `cells ${what}`, counts.join() === thousand(parts).join(), `${counts.join()} and ${thousand(parts).join()}`);
  };
  await told('at the start', judged('low.odds', await threshold()), own);
  await page.focus('input[data-for=threshold]');
  for (const key of ['PageUp', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
    await page.keyboard.press(key);
    const values = judged('low.odds', await threshold());
    await told(`after ${key}`, values, own);
    const now = await shown();
    check('agreement', 'what the command calls predictive values', now.ppv === whole(values.precision) && now.npv === whole(values.negative), JSON.stringify([now, values]));
  }
  await page.focus('input[data-for=prevalence]');
  for (const keys of [['Home'], ['End', 'PageDown']]) {
    for (const key of keys) await page.keyboard.press(key);
    const prevalence = await page.$eval('input[data-for=prevalence]', input => 1 / (1 + Math.exp(-Number(input.value) * Math.LN10 / 10)));
    oddsmith('calibrate', 'low.odds', '--prevalence', `yes=${prevalence},no=${1 - prevalence}`, '-o', 'elsewhere.odds', '-q');
    for (const t of [0.02, 0.5]) {
      await page.$eval('input[data-for=threshold]', (input, value) => { input.value = 100 * value; input.dispatchEvent(new Event('input', { bubbles: true })); }, t);
      const values = judged('elsewhere.odds', t);
      await told(`from ${t} where ${prevalence.toFixed(4)} have the event`, values, prevalence);
    }
  }
  await context.close();
};

const movedRow = async (browser, file) => {
  const { context, page } = await open(browser, file, {});
  await page.focus('input[data-for=prevalence]');
  await page.keyboard.press('Home');
  const prevalence = await page.$eval('input[data-for=prevalence]', input => 1 / (1 + Math.exp(-Number(input.value) * Math.LN10 / 10)));
  const shown = await page.$eval('#row [data-out="result"]', cell => cell.textContent);
  const row = Number((await page.$eval('#row p', text => text.textContent)).match(/Row (\d+)/)[1]);
  oddsmith('calibrate', 'low.odds', '--prevalence', `yes=${prevalence},no=${1 - prevalence}`, '-o', 'rare.odds', '-q');
  const lines = oddsmith('predict', 'rare.odds', 'births.csv', '--format', 'csv', '-q').split('\n');
  const wanted = Number(lines[row].split(',')[lines[0].split(',').indexOf('p_yes')]);
  const digits = wanted < 0.0995 || wanted > 0.9005 ? 1 : 0;
  const told = wanted > 0.9995 ? '>99.9%' : wanted < 0.0005 ? '<0.1%' : `${(100 * wanted).toFixed(digits)}%`;
  check('agreement', 'a row where the event is rarer', shown === told, `${shown} and ${wanted}`);
  await context.close();
};

await run('reports', async browser => {
  for (const [report, words] of Object.entries(REPORTS)) {
    const file = path.join(folder, `${report.replaceAll(' ', '-')}.html`);
    oddsmith('report', ...words, '-o', file, '-q');
    await read(browser, file, report);
  }
  await agreement(browser, path.join(folder, 'births-on-new-rows.html'));
  await movedRow(browser, path.join(folder, 'births.html'));
  return Object.keys(REPORTS).length + await everyModel(browser);
});
