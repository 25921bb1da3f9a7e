// Answers JSON lines {id, expr, tz, from, count} from standard input with croner's times.
// A line {tz, offsets: [instants]} asks for the zone's UTC offsets in seconds instead.
const readline = require('readline');
const { Cron } = require('croner');

const formats = new Map();

function offset_at(tz, instant) {
  if (!formats.has(tz)) {
    formats.set(tz, new Intl.DateTimeFormat('en-US', {
      timeZone: tz, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
      hour: 'numeric', minute: 'numeric', second: 'numeric',
    }));
  }
  const part = {};
  for (const { type, value } of formats.get(tz).formatToParts(new Date(instant * 1000))) {
    part[type] = Number(value);
  }
  const civil = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
  return civil / 1000 - instant;
}

function next_times(question) {
  const cron = new Cron(question.expr, { timezone: question.tz, paused: true });
  return cron.nextRuns(question.count, new Date(question.from * 1000))
    .map((time) => Math.floor(time.getTime() / 1000));
}

function answer(question) {
  if (question.offsets) {
    return { tz: question.tz, offsets: question.offsets.map((t) => offset_at(question.tz, t)) };
  }
  try {
    return { id: question.id, next: next_times(question) };
  } catch (error) {
    return { id: question.id, error: `${error.name}: ${error.message}` };
  }
}

const { version } = require('croner/package.json');
console.log(JSON.stringify({ peer: 'croner', version }));
readline.createInterface({ input: process.stdin })
  .on('line', (line) => console.log(JSON.stringify(answer(JSON.parse(line)))));
