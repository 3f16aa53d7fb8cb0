import type { ActivityDetails, ProjectStatsResponse } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { bases, drives } from '../api/catalog.js';
import { explain } from '../api/errors.js';
import { mayAdd, mayWrite } from '../api/own-key.js';
import { project } from '../api/session.js';
import { addressOf } from '../router.js';
import { askForName } from '../shell/sidebar.js';
import { Button } from '../ui/button.js';
import { countOf, formatBytes, formatCount, formatTime } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { lazy } from '../ui/lazy.js';
import { EmptyState, ErrorState } from '../ui/states.js';
import { ActivityFigures } from './activity.js';
import { Connect } from './connect.js';
import { LatestRequests } from './latest-requests.js';
import { RequestsPanel } from './requests-panel.js';
import { type Size, useSizes } from './sizes.js';
import { SlowQueries } from './slow-queries.js';
import { StoragePanel } from './storage-panel.js';
import { useAnswer } from './use-answer.js';

const QuotaPanel = lazy(async () => (await import('./quota-panel.js')).QuotaPanel);

const activityEveryMs = 30_000;

/** The first screen: what the project holds, and how a program reaches it. */
export function Overview() {
  const activity = useAnswer<ActivityDetails>('/activity?details=true', activityEveryMs);
  const stats = useAnswer<ProjectStatsResponse>('/stats');
  const ofBases = useSizes('bases', bases.names.value);
  const ofDrives = useSizes('drives', drives.names.value);
  const isEmpty = [bases, drives].every(
    ({ names, state }) => state.value === 'complete' && names.value.length === 0,
  );
  const isDown = [bases, drives].every(({ state }) => state.value === 'failed');
  return (
    <div class="screen scrolls">
      <div class="page">
        <header class="page-head">
          <h1>{project.value}</h1>
          {!isDown && <span class="meta">as of {formatTime(Math.floor(ofBases.readAtMs / 1000))}</span>}
        </header>
        {isDown ? (
          <ErrorState
            cause={bases.failure.value}
            onRetry={() => [bases, drives].map((list) => list.reload())}
          />
        ) : (
          <div class="figures">
            <Figure
              kind="bases"
              sizes={ofBases.all}
              sum={stats && { count: stats.items, bytes: stats.item_bytes }}
            />
            <Figure
              kind="drives"
              sizes={ofDrives.all}
              sum={stats && { count: stats.files, bytes: stats.file_bytes }}
            />
            <ActivityFigures />
          </div>
        )}
        {stats?.quota !== undefined && <QuotaPanel stats={stats} />}
        {activity !== undefined && <RequestsPanel activity={activity} />}
        <div class="columns-2">
          <SizeTable kind="bases" sizes={ofBases.sizes} />
          <SizeTable kind="drives" sizes={ofDrives.sizes} />
        </div>
        {isEmpty && (
          <EmptyState
            icon="database"
            title="Nothing is stored yet"
            actions={
              <>
                {mayAdd('bases', []) && (
                  <Button text="New base" variant="primary" icon="plus" onClick={() => askForName('bases')} />
                )}
                {mayAdd('drives', []) && (
                  <Button text="New drive" icon="plus" onClick={() => askForName('drives')} />
                )}
              </>
            }
          >
            {mayWrite.value
              ? 'A base holds JSON items, a drive holds files. Your program can store the first ones, too.'
              : 'There is nothing that this key may read.'}
          </EmptyState>
        )}
        {activity !== undefined && (
          <>
            <div class="columns-2">
              <SlowQueries queries={activity.slow_queries} />
              <StoragePanel storage={activity.storage} />
            </div>
            <LatestRequests requests={activity.latest} />
          </>
        )}
        <Connect />
      </div>
    </div>
  );
}

/** The bases and the drives: their names, and what they hold. */
const kinds = {
  bases: { title: 'Bases', place: 'base', noun: 'item', icon: 'database', list: bases },
  drives: { title: 'Drives', place: 'drive', noun: 'file', icon: 'drive', list: drives },
} as const;

interface FigureProps {
  readonly kind: keyof typeof kinds;
  /** Undefined until all are read. */
  readonly sizes: ReadonlyMap<string, Size> | undefined;
  /** Of all of the project, also of those whose names are not read. Only a key without limits may ask for it. */
  readonly sum: Pick<Size, 'count' | 'bytes'> | undefined;
}

/** Rows of a table before somebody asks for all: what comes below it is to be seen. */
const shownRows = 12;

/** The number of items or files, and their bytes. Without all sizes there is none. */
function Figure({ kind, sizes, sum }: FigureProps) {
  const { title, place, noun, list } = kinds[kind];
  const all = list.state.value === 'more' && sum !== undefined ? [sum] : [...(sizes?.values() ?? [])];
  const { length } = list.names.value;
  const state = list.state.value;
  const isSum = state === 'more' && sum !== undefined;
  const isWhole = isSum || (all.length >= length && state === 'complete');
  const isUnknown = (sizes === undefined && !isSum) || (length === 0 && state !== 'complete');
  const count = all.reduce((total, size) => total + size.count, 0);
  const bytes = all.reduce((total, size) => total + size.bytes, 0);
  const places = `${state === 'more' ? 'more than ' : ''}${countOf(length, place)}`;
  return (
    <section class="figure" aria-label={title} aria-busy={state === 'reading'}>
      <h2>{title}</h2>
      <p class="figure-number">
        {isUnknown || !isWhole ? '—' : formatCount(count)} <span>{count === 1 ? noun : `${noun}s`}</span>
      </p>
      {state === 'failed' ? (
        <div class="row wraps">
          <span class="problem" role="alert">
            {explain(list.failure.value)}
          </span>
          <Button text="Try again" variant="quiet" icon="refresh" onClick={() => void list.reload()} />
        </div>
      ) : (
        <p class="meta">
          {isUnknown ? 'Reading …' : isWhole ? `${formatBytes(bytes)} in ${places}` : places}
        </p>
      )}
    </section>
  );
}

interface SizeTableProps {
  readonly kind: keyof typeof kinds;
  readonly sizes: ReadonlyMap<string, Size>;
}

function SizeTable({ kind, sizes }: SizeTableProps) {
  const { title, noun, icon, list } = kinds[kind];
  const names = list.names.value;
  const [isWhole, setWhole] = useState(false);
  if (names.length === 0) return null;
  const shown = isWhole || names.length <= shownRows + 3 ? names : names.slice(0, shownRows);
  return (
    <section class="panel">
      <h2>{title}</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="right">{`${noun[0]?.toUpperCase()}${noun.slice(1)}s`}</th>
            <th scope="col" class="right">
              Size
            </th>
            {kind === 'bases' && (
              <th scope="col" class="icon-column">
                <span class="hidden-label">Attributes</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((name) => {
            const size = sizes.get(name);
            return (
              <tr key={name}>
                <td class="clip">
                  <a href={addressOf({ screen: kind, name, parameters: {} })}>
                    <Icon name={icon} />
                    <span class="clip">{name}</span>
                  </a>
                </td>
                <td class="right">
                  {size !== undefined && formatCount(size.count)}
                  {size?.asOf !== undefined && (
                    <span class="meta"> {`at ${new Date(1000 * size.asOf).toLocaleTimeString()}`}</span>
                  )}
                </td>
                <td class="right">{size === undefined ? '' : formatBytes(size.bytes)}</td>
                {kind === 'bases' && (
                  <td class="right">
                    <a
                      class="icon-link"
                      href={addressOf({ screen: kind, name, parameters: { profile: 'true' } })}
                      title="Attributes"
                    >
                      <Icon name="chart" />
                      <span class="hidden-label">Attributes of {name}</span>
                    </a>
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length < names.length && (
        <Button
          text={`Show ${formatCount(names.length - shown.length)} more`}
          variant="quiet"
          onClick={() => setWhole(true)}
        />
      )}
    </section>
  );
}
