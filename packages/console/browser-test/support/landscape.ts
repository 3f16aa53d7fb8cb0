import { crc32, deflateSync } from 'node:zlib';

/** A PNG file: mountains under a sky, another one for each seed. It stands for a photo in tests and pictures. */
export function landscape({ width = 960, height = 640, seed = 1 } = {}): Blob {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    const row = y * (1 + width * 3) + 1;
    for (let x = 0; x < width; x++) rows.set(colour(x / width, y / height, seed), row + x * 3);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits a channel, red, green and blue
  const bytes = [
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return new Blob(
    bytes.map((part) => new Uint8Array(part)),
    { type: 'image/png' },
  );
}

type Colour = readonly [number, number, number];

interface Light {
  readonly zenith: Colour;
  readonly horizon: Colour;
  readonly sun: Colour;
  readonly far: Colour;
  readonly near: Colour;
}
const dusk: Light = {
  zenith: [46, 60, 120],
  horizon: [250, 190, 140],
  sun: [255, 236, 200],
  far: [150, 120, 160],
  near: [34, 36, 66],
};
const noon: Light = {
  zenith: [86, 156, 214],
  horizon: [222, 238, 246],
  sun: [255, 252, 228],
  far: [142, 176, 196],
  near: [38, 84, 72],
};
const dawn: Light = {
  zenith: [96, 92, 148],
  horizon: [255, 214, 196],
  sun: [255, 246, 222],
  far: [222, 152, 150],
  near: [84, 44, 66],
};
const lights = [dusk, noon, dawn];
const ranges = 4;

/** The colour at a point, whose coordinates are from 0 to 1. */
function colour(x: number, y: number, seed: number): Colour {
  const { zenith, horizon, sun, far, near } = lights[seed % lights.length] ?? dusk;
  for (let range = ranges - 1; range >= 0; range--)
    if (y > ridge(x, range, seed)) return mix(far, near, range / (ranges - 1));
  if (Math.hypot((x - 0.3 - ((seed * 0.19) % 0.5)) * 1.5, y - 0.36) < 0.055) return sun;
  return mix(zenith, horizon, y / 0.6);
}

/** How far below the top a range of mountains begins. */
function ridge(x: number, range: number, seed: number): number {
  const wave = (length: number, phase: number) =>
    Math.abs(Math.sin(x * length + phase * (range + 1) + seed * 1.7));
  return 0.44 + range * 0.13 - 0.09 * wave(5 + range, 1.9) - 0.035 * wave(17, 0.7) - 0.012 * wave(53, 2.3);
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const channel = (n: 0 | 1 | 2) => Math.round(from[n] + (to[n] - from[n]) * share);
  return [channel(0), channel(1), channel(2)];
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
