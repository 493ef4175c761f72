// Reports in a real browser: node reports.mjs ODDSMITH EXAMPLES CHROMIUM
// Each is written by the command, opened from its file, and held to what its readers rely on.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { writeTables } from './tables.mjs';

const [command, examples, executablePath] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'oddsmith-reports-'));
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
for (const name of ['births.csv', 'iris.csv', 'new.csv', 'spam.txt']) fs.copyFileSync(path.join(examples, name), path.join(folder, name));

const oddsmith = (...words) => execFileSync(command, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const failures = [];
const check = (report, what, holds, told = '') => { if (!holds) failures.push(`${report}: ${what}${told === '' ? '' : `: ${told}`}`); };

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

const open = async (browser, file, options) => {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const seen = { requests: [], messages: [] };
  page.on('request', request => seen.requests.push(request.url()));
  page.on('console', message => seen.messages.push(message.text()));
  page.on('pageerror', error => seen.messages.push(String(error)));
  await page.goto(pathToFileURL(file).href);
  return { context, page, seen };
};

// Texts of a picture that leave it, or stand on one another.
const crowding = page => page.evaluate(() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg.fig:not(.spark)')) {
    if (!svg.getClientRects().length) continue;
    const name = svg.closest('figure')?.id, edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    texts.forEach(([text, box], i) => {
      if (box.left < edge.left - 3 || box.right > edge.right + 3 || box.top < edge.top - 3 || box.bottom > edge.bottom + 3) found.push(`${name}: "${text}" leaves the picture`);
      for (const [other, room] of texts.slice(i + 1)) {
        const wide = Math.min(box.right, room.right) - Math.max(box.left, room.left), tall = Math.min(box.bottom, room.bottom) - Math.max(box.top, room.top);
        if (wide > 2 && tall > 5) found.push(`${name}: "${text}" stands on "${other}"`);
      }
    });
  }
  return found;
});

const accessible = async (page, report, theme) => {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  for (const fault of result.violations) check(report, `axe, ${theme}`, false, `${fault.id}: ${fault.nodes.slice(0, 2).map(node => node.html.slice(0, 160)).join(' | ')}`);
};

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
  check(report, 'nothing on the console', seen.messages.length === 0, seen.messages.join(' | '));
  await context.close();
  const dark = await open(browser, file, { colorScheme: 'dark' });
  await accessible(dark.page, report, 'dark');
  await dark.context.close();
  await withoutScript(browser, file, report);
};

const ids = page => page.evaluate(() => { const ids = [...document.querySelectorAll('[id]')].map(element => element.id); return ids.filter((id, i) => ids.indexOf(id) !== i); });

const layout = async (page, report) => {
  for (const width of [1180, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const spare = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(report, `no sideways scroll at ${width}`, spare <= 0, spare);
    for (const fault of await crowding(page)) check(report, `texts at ${width}`, false, fault);
  }
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

// The page says what the command says: sensitivity at its threshold, and a row's probability where the event is rarer.
const agreement = async (browser, file) => {
  const { context, page } = await open(browser, file, {});
  const threshold = await page.$eval('input[data-for=threshold]', input => Number(input.value) / 100);
  const metrics = oddsmith('evaluate', 'low.odds', 'new.csv', '--threshold', String(threshold), '--show', 'metrics', '--format', 'csv', '-q');
  const wanted = Number(metrics.split('\n').find(line => line.startsWith('sensitivity,')).split(',')[1]);
  const shown = await page.$eval('[data-out="sensitivity"]', cell => cell.textContent);
  check('agreement', 'sensitivity at the threshold', shown === `${(100 * wanted).toFixed(0)}%`, `${shown} and ${wanted}`);
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

const begin = Date.now();
let ofModels = 0;
const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
  for (const [report, words] of Object.entries(REPORTS)) {
    const file = path.join(folder, `${report.replaceAll(' ', '-')}.html`);
    oddsmith('report', ...words, '-o', file, '-q');
    await read(browser, file, report);
  }
  await agreement(browser, path.join(folder, 'births-on-new-rows.html'));
  await movedRow(browser, path.join(folder, 'births.html'));
  ofModels = await everyModel(browser);
} finally {
  await browser.close();
  if (!process.env.KEEP_REPORTS) fs.rmSync(folder, { recursive: true });
}
failures.forEach(failure => console.error(failure));
console.log(`${Object.keys(REPORTS).length + ofModels} reports in a browser, ${failures.length} failures, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
process.exit(failures.length ? 1 : 0);
