// The licences of what the bundle has of other packages: they ask for their text in every copy.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The licences of the packages that these modules (paths) are from, as a text. */
export function licensesOf(ids) {
  const marker = `${sep}node_modules${sep}`;
  const homes = ids
    .filter((id) => id.includes(marker))
    .map((id) => {
      const [scope, name] = id.slice(id.lastIndexOf(marker) + marker.length).split(sep);
      return (
        id.slice(0, id.lastIndexOf(marker) + marker.length) +
        (scope.startsWith('@') ? join(scope, name) : scope)
      );
    });
  const texts = [...new Set(homes)].sort().map((home) => {
    const { name, version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    const file = readdirSync(home).find((one) => /^licen[cs]e/i.test(one));
    const text = file === undefined ? '' : readFileSync(join(home, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
