// Usage: node time_javascript.cjs croner|cron-parser QUESTIONS INSTANTS
// Times the next start of a JavaScript library; see bench/schedule/run.
const fs = require('fs');
const path = require('path');

const warm_up = 300, measured = 1000, least = 3; // milliseconds, milliseconds, repetitions

function repeat(calls, work) {
  let start = performance.now();
  do work(); while (performance.now() - start < warm_up);
  const ns = [];
  start = performance.now();
  while (ns.length < least || performance.now() - start < measured) {
    const begin = process.hrtime.bigint();
    work();
    ns.push(Number(process.hrtime.bigint() - begin) / calls);
  }
  return ns;
}

// A function from a Date to milliseconds since the epoch, with the expression parsed before.
const libraries = {
  croner(expression, timezone) {
    const { Cron } = require('croner');
    const cron = new Cron(expression, { timezone, paused: true });
    return (date) => cron.nextRun(date).getTime();
  },
  'cron-parser'(expression, tz) {
    const { CronExpressionParser } = require('cron-parser');
    const cron = CronExpressionParser.parse(expression, { tz });
    return (date) => {
      cron.reset(date);
      return cron.next().getTime();
    };
  },
};

function version_of(name) {
  const file = path.join(process.env.NODE_PATH, name, 'package.json');
  return JSON.parse(fs.readFileSync(file)).version;
}

const [name, questions, instants] = process.argv.slice(2);
const lines_of = (file) => fs.readFileSync(file, 'utf8').trimEnd().split('\n');
const dates = lines_of(instants).map((seconds) => new Date(Number(seconds) * 1000));
const answers = new Array(dates.length);

console.log(JSON.stringify({ peer: name, version: version_of(name) }));
lines_of(questions).forEach((line, row) => {
  const next = libraries[name](...line.split('\t'));
  const ns = repeat(dates.length, () => {
    for (let i = 0; i < dates.length; ++i) answers[i] = next(dates[i]);
  });
  console.log(JSON.stringify({ row, ns, answers: answers.map((ms) => Math.floor(ms / 1000)) }));
});
