import type { ActivityDetails } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { formatMilliseconds, formatSecond } from '../ui/format.js';
import { Tabs } from '../ui/tabs.js';
import { visible } from '../ui/visible.js';
import { useKeyNames } from './use-key-names.js';

type Latest = ActivityDetails['latest'][number];
type Which = 'all' | 'errors' | 'slow';

const slowMs = 100;
const chosen: Readonly<Record<Which, (request: Latest) => boolean>> = {
  all: () => true,
  errors: ({ status }) => status >= 400,
  slow: ({ ms }) => ms >= slowMs,
};
const none: Readonly<Record<Which, string>> = {
  all: 'There was none yet.',
  errors: 'None of the last 100 was refused or failed.',
  slow: 'None of the last 100 took 100 ms or longer.',
};

/** The last requests: who, what, how long. */
export function LatestRequests({ requests }: { readonly requests: readonly Latest[] }) {
  const [which, setWhich] = useState<Which>('all');
  const names = useKeyNames();
  const shown = requests.filter(chosen[which]);
  return (
    <section class="panel" aria-label="Latest requests">
      <div class="panel-head">
        <h2>Latest requests</h2>
        <Tabs<Which>
          label="Which requests"
          chosen={which}
          onChoose={setWhich}
          tabs={{ all: 'All', errors: 'Errors', slow: 'Slow' }}
        />
      </div>
      {shown.length === 0 ? (
        <p class="hint">{none[which]}</p>
      ) : (
        <div class="request-log" role="region" aria-label="Requests, newest first" tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Request</th>
                <th scope="col">Status</th>
                <th scope="col" class="right">
                  Took
                </th>
                <th scope="col">Key</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((request, n) => (
                <RequestRow key={`${request.at} ${n}`} request={request} who={names.get(request.key_id)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function RequestRow({ request, who }: { readonly request: Latest; readonly who: string | undefined }) {
  const { at, method, path, status, ms, key_id: keyId } = request;
  // The project is that of the page.
  const place = path.replace(/^\/v1\/[^/]*/, '');
  return (
    <tr>
      <td>{formatSecond(at)}</td>
      <td class="request-path" title={path}>
        <span class="request-method">{method}</span> {place}
      </td>
      <td>
        <span class={`status-code s${Math.floor(status / 100)}`}>{status}</span>
      </td>
      <td class="right">{formatMilliseconds(ms)}</td>
      <td class="clip" title={keyId}>
        {who === undefined ? keyId.slice(0, 8) : visible(who)}
      </td>
    </tr>
  );
}
