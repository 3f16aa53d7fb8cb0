import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../processes/free-port.js';
import { commandPath, missingCommand } from '../processes/installed.js';
import { startServer, together } from '../processes/server-process.js';
import type { Contender } from './contender.js';
import { item } from './item.js';
import { startRedis } from './redis.js';

/** Where Debian's `libnginx-mod-http-lua` and `lua-nginx-redis` put what they have. */
const modules = ['ndk_http_module.so', 'ngx_http_lua_module.so'].map(
  (file) => `/usr/lib/nginx/modules/${file}`,
);
const libraries = '/usr/share/lua/5.1';

/** Redis behind a gateway of two dozen lines in the fastest HTTP server there is. */
export const nginxLuaRedis: Contender = {
  name: 'nginx + lua + redis',
  about:
    'Redis behind nginx with a gateway in Lua; append-only file synced at every write (appendfsync always); one worker process',
  missing: () =>
    missingCommand('nginx', 'redis-server') ??
    ([...modules, `${libraries}/nginx/redis.lua`].every((file) => existsSync(file))
      ? undefined
      : 'libnginx-mod-http-lua or lua-nginx-redis not installed'),
  async start(folder) {
    const [redisPort, port] = [await freePort(), await freePort()];
    const redis = await startRedis(folder, redisPort);
    mkdirSync(join(folder, 'temp'), { recursive: true });
    const config = join(folder, 'nginx.conf');
    writeFileSync(config, nginxConfig(folder, port, redisPort));
    const args = ['-p', folder, '-c', config, '-e', join(folder, 'error.log')];
    const gateway = await startServer({ name: 'nginx', command: commandPath('nginx')!, args, folder, port });
    return together([redis, gateway]);
  },
  items: {
    get: {
      request: { method: 'GET', path: '/items/{key}' },
      status: 200,
      includes: ['"key":"{key}"', 'Ada Lovelace'],
    },
    put: { request: { method: 'PUT', path: '/items/{key}', body: item() }, status: 200, includes: ['OK'] },
  },
};

function nginxConfig(folder: string, port: number, redisPort: number): string {
  // If nginx runs as root, its workers run as the user nobody, which may not write to the folder.
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
${modules.map((file) => `load_module ${file};`).join('\n')}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 2048; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_buffer_size 64k;
  client_body_temp_path ${folder}/temp;
  lua_package_path "${libraries}/?.lua;;";
  init_by_lua_block { redis = require "nginx.redis" }
  server {
    listen 127.0.0.1:${port};
    location ~ ^/items/(\\d+)$ {
      content_by_lua_block {
        local client = redis:new()
        local ok, problem = client:connect("127.0.0.1", ${redisPort})
        local answer
        if ok and ngx.req.get_method() == "PUT" then
          ngx.req.read_body()
          answer, problem = client:set(ngx.var[1], ngx.req.get_body_data())
        elseif ok then
          answer, problem = client:get(ngx.var[1])
        end
        if not answer then
          ngx.log(ngx.ERR, problem)
          return ngx.exit(503)
        end
        client:set_keepalive(60000, 512)
        if answer == ngx.null then return ngx.exit(404) end
        ngx.header.content_length = #answer
        ngx.print(answer)
      }
    }
  }
}
`;
}
