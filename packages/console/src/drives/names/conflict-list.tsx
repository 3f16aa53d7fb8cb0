import { formatCount } from '../../ui/format.js';
import { Select } from '../../ui/select.js';
import { TextInput } from '../../ui/text-field.js';
import { visible } from '../../ui/visible.js';
import type { Choice, Choices, Conflict } from './conflicts.js';

/** Conflicts that are shown one by one. The others follow the choice for all. */
const shown = 50;

/** What each kind of choice is called. */
export type ChoiceWords = Readonly<Record<Choice['kind'], string>>;
const kinds = ['rename', 'replace', 'skip'] as const;

interface ConflictListProps {
  readonly conflicts: readonly Conflict[];
  readonly choices: Choices;
  readonly words: ChoiceWords;
  onChoose(choices: Choices): void;
}

/** Names that are taken, and what becomes of the files that were to get them. */
export function ConflictList({ conflicts, choices, words, onChoose }: ConflictListProps) {
  const first = choices.get(conflicts[0]?.to ?? '')?.kind;
  const isOneKind = conflicts.every(({ to }) => choices.get(to)?.kind === first);
  const choose = (some: readonly Conflict[], kind: Choice['kind']) => {
    const next = new Map(choices);
    for (const { to, free } of some) next.set(to, kind === 'rename' ? { kind, name: free } : { kind });
    onChoose(next);
  };
  return (
    <>
      {conflicts.length > 1 && (
        <div class="field">
          <span aria-hidden="true">All {formatCount(conflicts.length)} files</span>
          <KindSelect
            label={`What becomes of all ${formatCount(conflicts.length)} files`}
            words={words}
            kind={isOneKind ? first : undefined}
            onKind={(kind) => choose(conflicts, kind)}
          />
        </div>
      )}
      <ul class="conflicts">
        {conflicts.slice(0, shown).map((conflict) => {
          const { to } = conflict;
          const choice = choices.get(to);
          const name = visible(to);
          return (
            <li key={to} class="conflict">
              <span class="mono">{name}</span>
              <KindSelect
                label={`What becomes of ${name}`}
                words={words}
                kind={choice?.kind}
                onKind={(kind) => choose([conflict], kind)}
              />
              {choice?.kind === 'rename' && (
                <TextInput
                  class="input mono"
                  aria-label={`Another name for ${name}`}
                  value={choice.name}
                  onInput={(typed) => onChoose(new Map(choices).set(to, { kind: 'rename', name: typed }))}
                />
              )}
            </li>
          );
        })}
      </ul>
      {conflicts.length > shown && (
        <p class="hint">{formatCount(conflicts.length - shown)} more follow the choice for all.</p>
      )}
    </>
  );
}

interface KindSelectProps {
  readonly label: string;
  readonly words: ChoiceWords;
  /** Undefined if the files have different choices. */
  readonly kind: Choice['kind'] | undefined;
  onKind(kind: Choice['kind']): void;
}

function KindSelect({ label, words, kind, onKind }: KindSelectProps) {
  const choices = kinds.map((each) => [each, words[each]] as const);
  return (
    <Select
      aria-label={label}
      value={kind ?? ''}
      choices={kind === undefined ? [['', 'Different choices'], ...choices] : choices}
      onChoose={(chosen) => chosen !== '' && onKind(chosen)}
    />
  );
}
