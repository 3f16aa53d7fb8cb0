import { testBodiesAtOnce } from '../../support/parsed-bodies-at-once.js';

testBodiesAtOnce('queries that become large, at once, do not end a server with 256 MiB', 8, (path) =>
  path.includes('/query'),
);
