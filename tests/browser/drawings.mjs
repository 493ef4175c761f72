// Every picture that a command draws beside reports: the words of the command, in the order in which what they read is written.

const BIRTHS = ['births.csv', '--outcome', 'low', '--exposure', 'smoke'];
const FORMULA = 'low ~ age + lwt + race + smoke + ht + ui';

// Files that the pictures are drawn of.
export const MODELS = {
  'low.odds': ['births.csv', FORMULA],
  'iris.odds': ['iris.csv', '--target', 'Species', '--model', 'qda'],
  'nb.odds': ['births.csv', '--target', 'low', '--features', 'age,lwt,race,smoke'],
  'tree.odds': ['births.csv', '--target', 'low', '--exclude', 'bwt', '--model', 'tree', '--max-depth', '4'],
  'softmax.odds': ['iris.csv', 'Species ~ Sepal.Length + Sepal.Width + Petal.Length', '--l2', '0.1'],
};

const over = (name, ...more) => ['plot', name, 'low.odds', 'births.csv', ...more];
export const PICTURES = {
  forest: ['plot', 'forest', 'low.odds'],
  'forest of three classes': ['plot', 'forest', 'softmax.odds'],
  tree: ['plot', 'tree', 'tree.odds'],
  ...Object.fromEntries(['roc', 'precision-recall', 'calibration', 'decision', 'threshold', 'spread', 'prevalence'].map(name => [name, over(name)])),
  'roc of three classes': ['plot', 'roc', 'iris.odds', 'iris.csv'],
  'calibration of three classes': ['plot', 'calibration', 'iris.odds', 'iris.csv'],
  ...Object.fromEntries(['nomogram', 'boundary', 'density', 'sigmoid', 'columns', 'influence', 'residuals', 'landscape'].map(name => [name, over(name)])),
  waterfall: over('waterfall', '--row', '7'),
  'waterfall of three classes': ['plot', 'waterfall', 'iris.odds', 'iris.csv', '--row', '80'],
  'boundary of three classes': ['plot', 'boundary', 'iris.odds', 'iris.csv', '--columns', 'Petal.Length,Petal.Width'],
  'densities of three classes': ['plot', 'density', 'iris.odds', 'iris.csv', '--columns', 'Petal.Length'],
  'landscape of a normal': ['plot', 'landscape', 'nb.odds', 'births.csv', '--columns', 'lwt'],
  'boundary of a fit': ['fit', 'births.csv', 'low ~ age + lwt', '--plot', 'boundary'],
  comparison: ['compare', 'births.csv', '--target', 'low', '--exclude', 'bwt', '--plot', 'comparison'],
  learning: ['compare', 'births.csv', '--target', 'low', '--exclude', 'bwt', '--plot', 'learning'],
  'two-part codes of models': ['compare', 'births.csv', '--target', 'low', '--exclude', 'bwt', '--mdl', '--plot', 'description'],
  information: ['info', 'births.csv', '--target', 'low', '--exclude', 'bwt', '--plot', 'information'],
  strata: ['table', ...BIRTHS, '--strata', 'race', '--plot', 'forest'],
  confounding: ['confounding', ...BIRTHS, '--exclude', 'bwt', '--plot', 'forest'],
  subgroups: ['subgroups', ...BIRTHS, '--candidates', 'race,age', '--plot', 'forest'],
  differences: ['describe', 'births.csv', '--by', 'smoke', '--exclude', 'bwt', '--plot', 'differences'],
  steps: ['select', 'births.csv', '--target', 'low', '--model', 'logistic', '--features', 'age,lwt,smoke,ht,ui', '--by', 'aic', '--plot', 'steps'],
  posterior: ['bayes', '--model', 'bent=0.8', '--model', 'straight=0.5', '--counts', '8,4', '--plot', 'posterior'],
  degree: ['degree', 'births.csv', 'bwt ~ lwt', '--plot', 'description'],
  code: ['code', 'tree', 'a=0.4', 'b=0.2', 'c=0.2', 'd=0.1', 'e=0.1', '--plot', 'tree'],
  'code of a column': ['code', 'tree', 'births.csv', '--column', 'age', '--plot', 'tree'],
};

// A picture as a page: a file of its own where the command writes one, else what it prints.
export const page = (oddsmith, words, file, save) => {
  if (words[0] === 'plot') oddsmith(...words, '-o', file, '-q');
  else save(file, oddsmith(...words, '--format', 'html', '-q'));
};
