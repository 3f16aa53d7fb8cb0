import type { KeyDetails } from 'basedrive-client';
import { IconButton } from '../ui/button.js';
import { formatFromNow, formatTime } from '../ui/format.js';
import { isPhone } from '../ui/media.js';
import { visible } from '../ui/visible.js';
import { scopeText } from './scope-text.js';

interface KeyListProps {
  readonly keys: readonly KeyDetails[];
  onDelete(key: KeyDetails): void;
}

/** The keys as a table, or on a phone as cards, so that nothing scrolls sideways. */
export function KeyList({ keys, onDelete }: KeyListProps) {
  if (isPhone.value) {
    return (
      <ul class="key-cards">
        {keys.map((each) => (
          <KeyCard key={each.id} details={each} onDelete={() => onDelete(each)} />
        ))}
      </ul>
    );
  }
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">May</th>
            <th scope="col">Where</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            <th scope="col">
              <span class="hidden-label">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((each) => (
            <KeyRow key={each.id} details={each} onDelete={() => onDelete(each)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface KeyProps {
  readonly details: KeyDetails;
  onDelete(): void;
}

function KeyRow({ details, onDelete }: KeyProps) {
  return (
    <tr>
      <td>
        <KeyName details={details} />
      </td>
      <td>{details.access}</td>
      <td class="key-scope">{scopeText(details)}</td>
      <td>
        <Moment seconds={details.last_used} otherwise="never" />
      </td>
      <td>
        <Moment seconds={details.expires} otherwise="never" />
      </td>
      <td class="right">
        <RevokeButton details={details} onDelete={onDelete} />
      </td>
    </tr>
  );
}

function KeyCard({ details, onDelete }: KeyProps) {
  return (
    <li class="key-card">
      <div class="key-card-head">
        <KeyName details={details} />
        <RevokeButton details={details} onDelete={onDelete} />
      </div>
      <dl class="facts">
        <dt>May</dt>
        <dd>{details.access}</dd>
        <dt>Where</dt>
        <dd>{scopeText(details)}</dd>
        <dt>Last used</dt>
        <dd>
          <Moment seconds={details.last_used} otherwise="never" />
        </dd>
        <dt>Expires</dt>
        <dd>
          <Moment seconds={details.expires} otherwise="never" />
        </dd>
      </dl>
    </li>
  );
}

function KeyName({ details: { id, name, created } }: { readonly details: KeyDetails }) {
  return (
    <span class="key-name" title={`${id}, created ${formatTime(created)}`}>
      <strong>{name === undefined ? id : visible(name)}</strong>
      {name !== undefined && <span class="meta mono">{id}</span>}
    </span>
  );
}

/** A second since 1970 as its distance from now, with the date as the tooltip. */
function Moment({
  seconds,
  otherwise,
}: {
  readonly seconds: number | undefined;
  readonly otherwise: string;
}) {
  if (seconds === undefined) return <span class="hint">{otherwise}</span>;
  return <span title={formatTime(seconds)}>{formatFromNow(seconds)}</span>;
}

function RevokeButton({ details: { id, name }, onDelete }: KeyProps) {
  const shown = name === undefined ? id : visible(name);
  return <IconButton icon="trash" label={`Revoke ${shown}`} onClick={onDelete} />;
}
