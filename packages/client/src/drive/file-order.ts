import type { Compare } from '../feed/live.js';
import type { FileDetails } from '../http-types.js';
import { compare, compareText } from '../lib/compare.js';
import type { FileOrder } from './drive.js';

/** The order of files (docs/http.md#ordered-lists). The service orders by the millisecond, and tells the second. */
export function fileOrder(order: FileOrder | `-${FileOrder}`): Compare<FileDetails> {
  const direction = order.startsWith('-') ? -1 : 1;
  const by = order.replace('-', '') as FileOrder;
  return (a, b) => {
    const [one, other] = [a[by] ?? '', b[by] ?? ''];
    const difference = typeof one === 'string' ? compareText(one, String(other)) : compare(one, other);
    if (difference !== 0) return direction * difference;
    return by === 'modified' ? 0 : compareText(a.name, b.name);
  };
}
