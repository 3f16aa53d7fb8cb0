export type * from './http-types.js';
