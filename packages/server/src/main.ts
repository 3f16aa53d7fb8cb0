#!/usr/bin/env node
import { run } from './cli/program.js';

// A reader that has gone (a closed terminal, `| head`) must not end the server.
process.stderr.on('error', () => {});

const exitCode = await run({
  arguments: process.argv.slice(2),
  environment: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  outIsTerminal: process.stdout.isTTY === true,
  show: process.stderr.isTTY ? (text) => process.stderr.write(`\r\u001b[K${text}`) : undefined,
});
// What still keeps the event loop alive (a thread pool, a cut connection) has nothing left to do.
process.exit(exitCode);
