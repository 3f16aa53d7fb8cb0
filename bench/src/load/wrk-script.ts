import type { Load } from './load.js';
import { pieces, type RequestTemplate, render, slotsOf } from './request-template.js';

/**
 * The Lua program with which wrk sends a load and prints the result. It joins whole requests from literals and keys,
 * because wrk's own formatting would cost more than the answers of some contenders.
 */
export function wrkScript(load: Load): string {
  const slots = Math.max(...load.requests.map(({ request }) => slotsOf(request)));
  return `
${base64OfThreeDigits}
math.randomseed(${Math.floor(Math.random() * 2 ** 31)})
local fresh = ${load.keys.kind === 'fresh' ? load.keys.from : 0}
local function first()
  ${firstNumber(load, slots)}
end
${load.requests.map(({ request }, index) => requestFunction(request, index, new URL(load.url).host)).join('\n')}
function request()
  local n = first()
  ${choice(load)}
end
${printResult}`;
}

function firstNumber({ keys }: Load, slots: number): string {
  if (keys.kind === 'fresh') return `fresh = fresh + ${slots}; return fresh - ${slots}`;
  const step = keys.anywhere === true ? 1 : slots;
  return `return math.random(0, ${Math.max(1, Math.floor(keys.below / step)) - 1}) * ${step}`;
}

function choice({ requests }: Load): string {
  if (requests.length === 1) return 'return request0(n)';
  let below = 0;
  const branches = requests.map(({ weight }, index) => {
    below += weight;
    return `if dice <= ${below} then return request${index}(n) end`;
  });
  return `local dice = math.random(1, 100)\n  ${branches.join('\n  ')}`;
}

function requestFunction(template: RequestTemplate, index: number, host: string): string {
  const { method, path, headers = {}, body = '' } = template;
  // All keys have the same length, so all bodies do.
  const length = Buffer.byteLength(render(template, 0).body ?? '');
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(method === 'GET' ? [] : [`Content-Length: ${length}`]),
    '\r\n',
  ].join('\r\n');
  const parts = [...pieces(head), ...(typeof body === 'string' ? pieces(body) : [body])];
  const text = parts.map((part) => {
    if (typeof part === 'string' || Buffer.isBuffer(part)) return luaString(Buffer.from(part));
    if (part.form === 'nonce') return 'math.random(100000, 999999)';
    const key = `string.format("%012d", n + ${part.slot})`;
    if (part.form === 'prefix') return `${key}:sub(1, 10)`;
    return part.form === 'key64' ? `base64(${key})` : key;
  });
  return `local function request${index}(n)\n  return table.concat({\n    ${text.join(',\n    ')}\n  })\nend`;
}

/** A Lua string: letters, digits and spaces as they are, every other byte as its number. */
export function luaString(bytes: Buffer): string {
  const safe = /[A-Za-z0-9 ]/;
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += safe.test(character) ? character : `\\${String(byte).padStart(3, '0')}`;
  }
  return `"${text}"`;
}

const base64OfThreeDigits = `
local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local three = {}
for i = 0, 999 do
  local digits = string.format("%03d", i)
  local a, b, c = digits:byte(1, 3)
  local bits, text = a * 65536 + b * 256 + c, ""
  for _, unit in ipairs({262144, 4096, 64, 1}) do
    local at = math.floor(bits / unit) % 64 + 1
    text = text .. alphabet:sub(at, at)
  end
  three[digits] = text
end
local function base64(key)
  return three[key:sub(1, 3)] .. three[key:sub(4, 6)] .. three[key:sub(7, 9)] .. three[key:sub(10, 12)]
end`;

/** Times in microseconds. */
export const printResult = `
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\nRESULT {"us":%d,"requests":%d,"bytes":%.0f,"errors":%d,"p50":%d,"p99":%d,"p999":%d,"max":%d}\\n',
    summary.duration, summary.requests, summary.bytes, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
end`;
