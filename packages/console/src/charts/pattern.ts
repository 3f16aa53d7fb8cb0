const sizePixels = 6;

/** A fill of stripes, or of crossed ones, which can be told from a plain one without its colour. */
export function hatched(color: string, background: string, isCrossed: boolean): CanvasPattern | string {
  const tile = document.createElement('canvas');
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const size = sizePixels * scale;
  tile.width = size;
  tile.height = size;
  const context = tile.getContext('2d');
  if (context === null) return color;
  context.fillStyle = background;
  context.fillRect(0, 0, size, size);
  context.strokeStyle = color;
  context.lineWidth = 1.5 * scale;
  context.beginPath();
  // Beyond the edges, so that the tiles join.
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift, size);
    context.lineTo(shift + size, 0);
    if (!isCrossed) continue;
    context.moveTo(shift, 0);
    context.lineTo(shift + size, size);
  }
  context.stroke();
  return context.createPattern(tile, 'repeat') ?? color;
}
