import { startServer } from '../server-process.js';
import type { Ground } from './run.js';

/** LevelDB and a folder of files: one server, and nothing beside it that could break. */
export function embeddedGround(folder: string, key: string): Ground {
  return {
    startServer: () => startServer(folder, key, { output: `${folder}.log` }),
    strikes: [],
    rest: async () => {},
  };
}
