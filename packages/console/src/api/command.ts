import { serviceAddress } from './address.js';
import { project } from './session.js';

/** An address below the project, as a command of a shell has it: in single quotes, none of which is within. */
export function quotedAddress(...names: readonly string[]): string {
  const path = [project.value, ...names].map((name) => encodeURIComponent(name)).join('/');
  return `'${serviceAddress}/v1/${path.replaceAll("'", '%27')}'`;
}
