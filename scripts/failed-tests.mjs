// A reporter for the test runner of Node: each test that failed, with its file and what it said, as one line of JSON.
import { relative } from 'node:path';
import { inspect } from 'node:util';
import { root } from './setup.mjs';

/** The characters that are kept of the message of one test: a difference of large values may be megabytes. */
const maxCharacters = 2000;

// biome-ignore lint/style/noDefaultExport: the runner takes the reporter from there
export default async function* failedTests(events) {
  for await (const { type, data } of events) {
    const { error } = data.details ?? {};
    // A suite fails because of the tests in it.
    if (type !== 'test:fail' || error?.failureType === 'subtestsFailed') continue;
    // A file that ended before its tests did is a test of its own, whose name is its path.
    const file = relative(root, data.file ?? data.name);
    yield `${JSON.stringify({ name: data.name, file, message: shortened(messagesOf(error)) })}\n`;
  }
}

/** What was thrown, and its causes: that of a failed property says in which way the counterexample is one. */
function messagesOf(error) {
  const thrown = new Set();
  // The runner throws an error of its own, whose cause is what the test threw.
  for (let one = error?.cause ?? error; one !== undefined && !thrown.has(one); one = one?.cause)
    thrown.add(one);
  const messages = [...thrown].map((one) => textOf(one?.message ?? one));
  return messages
    .join('\nBecause: ')
    .replace(/\n+Hint: Enable verbose mode .*/, '')
    .replace(/\n+$/, '');
}

/** Anything can be thrown: an object without a prototype has no text of its own. */
function textOf(value) {
  return typeof value === 'object' ? inspect(value) : String(value);
}

/** A text with its begin and its end, if it is too long. */
function shortened(text) {
  if (text.length <= maxCharacters) return text;
  const atEnd = maxCharacters / 4;
  const omitted = `… (${text.length - maxCharacters} characters) …`;
  return `${text.slice(0, maxCharacters - atEnd)}${omitted}${text.slice(-atEnd)}`;
}
