import { basename } from 'node:path';
import type { OnDamage } from '../engines/engine.js';
import type { Log } from '../lib/log.js';

/** A damaged row that is read again and again has one line. */
const maxLines = 1000;

/** Makes the function that logs damaged rows and files, each once. */
export function createDamageLog(log: Pick<Log, 'error'>): OnDamage {
  const logged = new Set<string>();
  return (damage) => {
    const fields = 'file' in damage ? { ...damage, file: basename(damage.file) } : { ...damage };
    const line = JSON.stringify(fields);
    if (logged.has(line) || logged.size === maxLines) return;
    logged.add(line);
    log.error(fields, 'the rows are damaged');
  };
}
