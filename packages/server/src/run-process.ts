import { fittingLine } from './cli/output/status-line.js';
import { run } from './cli/program.js';

// A closed reader (a closed terminal, `| head`) must not end the server.
process.stderr.on('error', () => {});

let lostOutput: NodeJS.ErrnoException | undefined;
const outLost = new AbortController();
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  lostOutput ??= cause;
  outLost.abort();
});

/** In a function, because the bundle is of scripts, which cannot wait at their top. */
async function runProcess(): Promise<void> {
  const exitCode = await run({
    arguments: process.argv.slice(2),
    environment: process.env,
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    outLost: outLost.signal,
    outIsTerminal: process.stdout.isTTY === true,
    show: process.stderr.isTTY
      ? (text) => process.stderr.write(`\r\u001b[K${fittingLine(text, process.stderr.columns)}`)
      : undefined,
  });
  // The failure of a write to a file is only known later.
  await new Promise((resolve) => process.stdout.write('', resolve));
  const isLost = lostOutput !== undefined && lostOutput.code !== 'EPIPE';
  if (isLost) process.stderr.write(`basedrive: Standard output takes no more: ${lostOutput?.message}\n`);
  // Something may still keep the event loop alive (a thread pool, a broken connection), but no work is left.
  process.exit(isLost ? 2 : exitCode);
}

void runProcess();
