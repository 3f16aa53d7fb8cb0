import { bareFixed } from './bare-fixed.js';
import { bareJson } from './bare-json.js';
import { basedrive } from './basedrive.js';
import { basedriveVariants } from './basedrive-variants.js';
import type { Contender } from './contender.js';
import { dynalite } from './dynalite.js';
import { etcd } from './etcd.js';
import { nginx } from './nginx.js';
import { nginxLuaRedis } from './nginx-lua-redis.js';
import { postgres } from './postgres.js';
import { pouchdb } from './pouchdb.js';
import { s3rver } from './s3rver.js';
import { scaled } from './scaled.js';
import { sqlite } from './sqlite.js';
import { tus } from './tus.js';
import { webdis } from './webdis.js';

/** In the order of the tables: the service, the baselines, servers written by hand, servers to install. */
export const contenders: readonly Contender[] = [
  basedrive,
  ...basedriveVariants,
  bareFixed,
  bareJson,
  sqlite,
  postgres,
  webdis,
  nginxLuaRedis,
  etcd,
  dynalite,
  pouchdb,
  nginx,
  tus,
  s3rver,
  ...scaled,
];
