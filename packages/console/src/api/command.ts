import { serviceAddress } from './address.js';
import { project } from './session.js';

/** An address below the project, as a command of a shell has it: in single quotes, none of which is within. */
export function quotedAddress(
  names: readonly string[],
  parameters: Readonly<Record<string, string>> = {},
): string {
  const path = [project.value, ...names].map((name) => encodeURIComponent(name)).join('/');
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const address = [path, ...query].join(query.length === 0 ? '' : '?');
  return `'${serviceAddress}/v1/${address.replaceAll("'", '%27')}'`;
}
