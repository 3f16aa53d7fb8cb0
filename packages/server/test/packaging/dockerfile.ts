/** The instructions of a Dockerfile that this project uses. */
export interface Stage {
  /** The name after `AS`, or undefined for the last stage. */
  readonly name: string | undefined;
  /** An image, or the name of an earlier stage. */
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

export interface Instruction {
  readonly word: string;
  readonly rest: string;
}

/** Reads a Dockerfile: comments are left out, and lines that end in `\` are joined. */
export function readDockerfile(text: string): readonly Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: { name: string | undefined; from: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (word === 'FROM') {
      const [from = '', , name] = rest.split(/\s+/);
      stages.push({ name, from, instructions: [] });
    } else {
      stages.at(-1)?.instructions.push({ word, rest });
    }
  }
  return stages;
}
