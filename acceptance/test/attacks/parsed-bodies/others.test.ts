import { testBodiesAtOnce } from '../../support/parsed-bodies-at-once.js';

testBodiesAtOnce(
  'requests about files, indexes and keys that become large, at once, do not end a server with 256 MiB',
  14,
  (path) => !/\/(query|items|transactions)/.test(path),
);
