import type { ProjectStatsResponse } from 'basedrive-client';
import { countOf, formatBytes, formatCount } from '../ui/format.js';

/** The quotas of what is stored, in their order, with what a person calls them. */
const kinds = [
  ['items', 'Items', formatCount],
  ['item_bytes', 'Bytes of items', formatBytes],
  ['files', 'Files', formatCount],
  ['file_bytes', 'Bytes of files', formatBytes],
] as const;

const nearShare = 0.9;

/** What the project stores of what its operator allows. */
export function QuotaPanel({ stats }: { readonly stats: ProjectStatsResponse }) {
  const { quota = {} } = stats;
  const limited = kinds.filter(([kind]) => quota[kind] !== undefined);
  const rate = quota.requests_per_second;
  return (
    <section class="panel" aria-label="Quota">
      <h2>Quota</h2>
      {limited.length > 0 && (
        <dl class="quotas">
          {limited.map(([kind, label, format]) => (
            <Used key={kind} label={label} used={stats[kind]} most={quota[kind] ?? 0} format={format} />
          ))}
        </dl>
      )}
      {stats.trash_bytes > 0 && quota.file_bytes !== undefined && (
        <p class="hint">{formatBytes(stats.trash_bytes)} of the bytes of files are in the trash.</p>
      )}
      {rate !== undefined && <p class="hint">At most {countOf(rate, 'request')} a second, over all keys.</p>}
    </section>
  );
}

interface UsedProps {
  readonly label: string;
  readonly used: number;
  readonly most: number;
  readonly format: (amount: number) => string;
}

function Used({ label, used, most, format }: UsedProps) {
  const share = most === 0 ? 1 : used / most;
  const text = `${format(used)} of ${format(most)}`;
  const state = share >= 1 ? 'full' : share >= nearShare ? 'near' : 'free';
  return (
    <div class="quota">
      <dt>{label}</dt>
      <dd>
        {text}
        {state !== 'free' && (
          <span class={state === 'full' ? 'problem' : 'warning'}>
            {state === 'full' ? ' Nothing more can be stored' : ` ${Math.floor(100 * share)} %`}
          </span>
        )}
        <span
          class={`meter ${state}`}
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={most}
          aria-valuenow={Math.min(used, most)}
          aria-valuetext={text}
        >
          <span style={{ width: `${Math.min(100, 100 * share)}%` }} />
        </span>
      </dd>
    </div>
  );
}
