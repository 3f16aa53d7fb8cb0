import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serverProgram } from '../../src/server-process.js';

const docs = new URL('../../../../docs/', import.meta.url);

/** The commands in the shell blocks of a section of a page of `docs/`, in order, one for each line without a comment. */
export function commandsOf(pageName: string, heading: string): readonly string[] {
  const page = readFileSync(fileURLToPath(new URL(pageName, docs)), 'utf8');
  const commands: string[] = [];
  let isInSection = false;
  let block: string | undefined;
  for (const line of page.split('\n')) {
    if (line.startsWith('```')) block = block === undefined ? line : undefined;
    else if (block === undefined && /^#+ /.test(line)) isInSection = line === heading;
    else if (block === '```sh' && isInSection) {
      const command = line.replace(/(^|\s+)# .*$/, '').trim();
      if (command !== '') commands.push(command);
    }
  }
  if (commands.length === 0) throw new Error(`${pageName} has no commands below ${heading}`);
  return commands;
}

/** What a command of a page is run with: other words in place of those of the page, and where. */
export interface Place {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Each text of the page, and what stands for it here. */
  readonly words: Readonly<Record<string, string>>;
}

/** The command of a page as it is typed in a place. `npm run` starts the compiled program. */
function typed(command: string, { words }: Place): string {
  const program = `"${process.execPath}" "${serverProgram}"`;
  const names = Object.keys(words).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g');
  const here = names.length === 0 ? command : command.replace(pattern, (name) => words[name] ?? name);
  return here.replace(/^npm run -s basedrive --/, program).replace(/^npm start --/, `${program} --port 0`);
}

/** Runs a command of a page in a shell. Rejects with what it printed if it fails. */
export async function runTyped(command: string, place: Place): Promise<string> {
  const child = spawn('sh', ['-c', typed(command, place)], {
    cwd: place.cwd,
    // The settings of whoever runs the tests stay out.
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...place.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${command}: exit code ${code}\n${out}${err}`);
  return out;
}
