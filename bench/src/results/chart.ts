import type { Measurement, Results } from './measurement.js';
import { figure } from './table.js';

// The chart has only bars with their figures, so no charting package is needed.
const barHeight = 14;
const gap = 4;
const labelWidth = 150;
const barsWidth = 420;
const width = labelWidth + barsWidth + 120;
const colours = { service: '#2563eb', other: '#94a3b8' };

/** An SVG chart for one number of connections: a group of bars for each workload, the longest with the full width. */
export function chart(results: Results, connections: number): string {
  const groups = new Map<string, Measurement[]>();
  for (const one of results.measurements.filter((each) => each.connections === connections)) {
    groups.set(one.workload, [...(groups.get(one.workload) ?? []), one]);
  }
  let y = 30;
  const parts: string[] = [];
  for (const [workload, measurements] of groups) {
    y += 14;
    parts.push(text(0, y, `${workload} (${measurements[0]!.unit})`, 'font-weight="bold"'));
    const most = Math.max(...measurements.map((one) => one.value));
    for (const one of measurements) {
      y += gap;
      const length = most === 0 ? 0 : (one.value / most) * barsWidth;
      const colour = one.contender === 'basedrive' ? colours.service : colours.other;
      parts.push(
        text(0, y + barHeight - 3, one.contender),
        `<rect x="${labelWidth}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" fill="${colour}"/>`,
        text(labelWidth + length + 6, y + barHeight - 3, figure(one.value)),
      );
      y += barHeight;
    }
    y += 18;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${y}" fill="white"/>`,
    text(0, 18, `${connections} connections, medians; longer is better`, 'font-size="14"'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y}" ${attributes}>${escapeXml(content)}</text>`;
}

function escapeXml(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
