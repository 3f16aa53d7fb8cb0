import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const page = fileURLToPath(new URL('../../../../../docs/feed.md', import.meta.url));

/** The code of a recipe of docs/feed.md, by its title. */
export async function recipe(title: string): Promise<string> {
  const sections = (await readFile(page, 'utf8')).split(/^### /m);
  const section = sections.find((each) => each.startsWith(`${title}\n`)) ?? '';
  const [, code] = /```jsx?\n([\s\S]*?)```/.exec(section) ?? [];
  if (code === undefined) throw new Error(`docs/feed.md has no recipe ${title}`);
  return code;
}
