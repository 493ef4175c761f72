// Tables that reports must survive, written into a folder; random numbers are the same every time.

import fs from 'node:fs';
import path from 'node:path';

const generator = seed => () => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648; };
const quote = text => `"${String(text).replaceAll('"', '""')}"`;
const normal = random => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const happens = (random, logOdds) => random() < 1 / (1 + Math.exp(-logOdds));

// Names and labels that try to be markup, to turn the writing direction, and to be too long.
const hostile = random => {
  const names = ['<script>alert(1)</script>', 'a"b\'c&d', '\u05E9\u05DC\u05D5\u05DD \u202E evil', 'x'.repeat(200), '<b>label</b>'];
  const row = () => {
    const event = random() < 0.4, level = ['</title><script>', '"&quot;', '\u202Ertl', 'y'.repeat(120)][Math.floor(4 * random())];
    return [random() + (event ? 0.4 : 0), random(), level, random() * 1e9, event ? '<img src=x onerror=alert(1)>' : `no"'&`];
  };
  return [names, ...Array.from({ length: 160 }, row)];
};

// Ordered categories, twelve levels, gaps, weights, and names as long as a sentence.
const wards = random => {
  const severity = ['none', 'mild', 'moderate', 'severe'];
  const ward = ['Cardiology', 'Oncology', 'Paediatrics', 'Orthopaedics and trauma surgery', 'Neurology', 'Dermatology', 'Urology', 'Ophthalmology', 'Emergency', 'Intensive care unit', 'Geriatrics', 'Psychiatry'];
  const row = () => {
    const grade = Math.floor(4 * random()), age = 61 + 14 * normal(random), protein = Math.exp(2 + 1.2 * normal(random));
    const event = happens(random, -2 + 0.7 * grade + 0.03 * (age - 61) + 0.25 * Math.log(protein));
    const gap = (value, share) => (random() < share ? '' : value);
    return [gap(severity[grade], 0.05), gap(age.toFixed(1), 0.08), gap(protein.toFixed(2), 0.2), ward[Math.floor(12 * random())], (0.4 + 2.8 * random()).toFixed(3), event ? 'readmitted within thirty days' : 'not readmitted'];
  };
  const names = ['symptom severity at admission', 'age in completed years at the day of admission', 'C-reactive protein (mg/L)', 'ward', 'sampling weight', 'outcome after discharge'];
  return [names, ...Array.from({ length: 640 }, row)];
};

// More columns than a page shows well.
const sixty = random => {
  const row = () => {
    const genes = Array.from({ length: 60 }, () => normal(random));
    return [...genes.map(gene => gene.toFixed(3)), happens(random, 1.2 * genes[0] - genes[1] + 0.5 * genes[2]) ? 1 : 0];
  };
  return [[...Array.from({ length: 60 }, (_, k) => `gene_${k}`), 'relapse'], ...Array.from({ length: 500 }, row)];
};

const ten = random => [['dose', 'arm', 'cured'], ...Array.from({ length: 10 }, (_, i) => [(normal(random) + 0.8 * (i % 2)).toFixed(2), 'ab'[i % 3 % 2], i % 2 ? 'yes' : 'no'])];

// More classes than there are colours, and columns of huge and of tiny numbers.
const digits = random => {
  const row = () => {
    const k = Math.floor(10 * random());
    return [(1e-7 * (k + 1.5 * normal(random))).toExponential(4), (3e8 + 2e7 * ((k % 3) + normal(random))).toFixed(0), random() < 0.5 ? 'x' : 'y', `digit ${k}`];
  };
  return [['tiny', 'huge', 'flag', 'which'], ...Array.from({ length: 700 }, row)];
};

export const writeTables = folder => {
  for (const [name, make] of Object.entries({ hostile, wards, sixty, ten, digits })) {
    const text = make(generator(7)).map(row => row.map(cell => (typeof cell === 'string' ? quote(cell) : cell)).join(',')).join('\n');
    fs.writeFileSync(path.join(folder, `${name}.csv`), `${text}\n`);
  }
};
