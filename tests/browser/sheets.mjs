// Contact sheets to look at: node sheets.mjs ODDSMITH EXAMPLES CHROMIUM FOLDER
// Every picture and a report, light and dark, on a wide screen and on a phone, several to a PNG.

import fs from 'node:fs';
import path from 'node:path';
import { folder, oddsmith, open, run } from './page.mjs';
import { MODELS, PICTURES, page as written } from './drawings.mjs';

const out = path.resolve(process.argv[5] ?? 'sheets');
fs.mkdirSync(out, { recursive: true });
// Pictures to a sheet, and pixels that one of them is wide there.
const SHEETS = { wide: { width: 1180, each: 8, shown: 700, across: 2 }, phone: { width: 390, each: 10, shown: 390, across: 5 } };

const sheet = async (browser, theme, shots, { shown, across }, file) => {
  const ground = theme === 'dark' ? '#14171a' : '#fff', ink = theme === 'dark' ? '#e8ebee' : '#1b1f24';
  const cells = shots.map(([name, shot]) => `<figure><figcaption>${name}</figcaption><img src="${shot}" width="${shown}"></figure>`).join('');
  const html = path.join(folder, 'sheet.html');
  fs.writeFileSync(html, `<!doctype html><style>body{margin:8px;background:${ground};color:${ink};font:14px sans-serif;display:grid;grid-template-columns:repeat(${across},${shown}px);gap:8px}figure{margin:0}</style>${cells}`);
  const { context, page } = await open(browser, html, { viewport: { width: across * (shown + 8) + 16, height: 800 } });
  await page.screenshot({ path: path.join(out, file), fullPage: true });
  await context.close();
};

await run('pictures on contact sheets', async browser => {
  for (const [model, words] of Object.entries(MODELS)) oddsmith('fit', ...words, '-o', model, '-q');
  const files = Object.entries(PICTURES).map(([name, words], at) => {
    const file = path.join(folder, `picture-${at}.html`);
    written(oddsmith, words, file, fs.writeFileSync);
    return [name, file];
  });
  oddsmith('report', 'low.odds', 'births.csv', '-o', 'report.html', '-q');
  for (const theme of ['light', 'dark']) {
    for (const [screen, look] of Object.entries(SHEETS)) {
      const { context, page, visit } = await open(browser, undefined, { colorScheme: theme, viewport: { width: look.width, height: 800 } });
      const shots = [];
      for (const [name, file] of files) {
        await visit(file);
        const shot = path.join(folder, `${path.basename(file)}-${screen}-${theme}.png`);
        await page.locator('main').screenshot({ path: shot });
        shots.push([name, shot]);
      }
      for (let from = 0; from < shots.length; from += look.each) {
        await sheet(browser, theme, shots.slice(from, from + look.each), look, `${screen}-${theme}-${1 + from / look.each}.png`);
      }
      await visit(path.join(folder, 'report.html'));
      await page.screenshot({ path: path.join(out, `report-${screen}-${theme}.png`), fullPage: true });
      await context.close();
    }
  }
  return files.length;
});
