// What tests of pages share: the command in a folder of examples, the browser, and what every page is held to.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [command, examples, executablePath] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'oddsmith-pages-'));
for (const name of fs.readdirSync(examples).filter(name => /\.(csv|txt)$/.test(name))) fs.copyFileSync(path.join(examples, name), path.join(folder, name));

export const oddsmith = (...words) => execFileSync(command, words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 24 });
export const failures = [];
export const check = (page, what, holds, told = '') => { if (!holds) failures.push(`${page}: ${what}${told === '' ? '' : `: ${told}`}`); };

export const launch = () => chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// Runs what there is to look at in one browser, tells what was found, and ends.
export const run = async (what, look) => {
  const begin = Date.now();
  const browser = await launch();
  let seen = 0;
  try {
    seen = await look(browser);
  } finally {
    await browser.close();
    if (!process.env.KEEP_REPORTS) fs.rmSync(folder, { recursive: true });
  }
  failures.forEach(failure => console.error(failure));
  console.log(`${seen} ${what} in a browser, ${failures.length} failures, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  process.exit(failures.length ? 1 : 0);
};

export const open = async (browser, file, options) => {
  const context = await browser.newContext({ viewport: { width: 1180, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const seen = { requests: [], messages: [] };
  page.on('request', request => seen.requests.push(request.url()));
  page.on('console', message => seen.messages.push(message.text()));
  page.on('pageerror', error => seen.messages.push(String(error)));
  const visit = file => page.goto(pathToFileURL(file).href);
  if (file) await visit(file);
  return { context, page, seen, visit };
};

// Texts of a picture that leave it, or stand on one another.
export const crowding = page => page.evaluate(() => {
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

export const accessible = async (page, report, theme) => {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  for (const fault of result.violations) check(report, `axe, ${theme}`, false, `${fault.id}: ${fault.nodes.slice(0, 2).map(node => node.html.slice(0, 160)).join(' | ')}`);
};

export const ids = page => page.evaluate(() => { const ids = [...document.querySelectorAll('[id]')].map(element => element.id); return ids.filter((id, i) => ids.indexOf(id) !== i); });

export const layout = async (page, report) => {
  for (const width of [1180, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const spare = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(report, `no sideways scroll at ${width}`, spare <= 0, spare);
    for (const fault of await crowding(page)) check(report, `texts at ${width}`, false, fault);
  }
};

