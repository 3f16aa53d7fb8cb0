import { fileURLToPath } from 'node:url';

/** The program of a front. This module and the bundle are equally deep, so that both find it. */
export const frontEntry = fileURLToPath(new URL('../server/fronts/relay/main.js', import.meta.url));
