import type { Suggestion } from './suggest.js';

interface SuggestionsProps {
  readonly id: string;
  readonly suggestions: readonly Suggestion[];
  /** The place of the one that Enter takes; -1: none. */
  readonly chosen: number;
  onChoose(at: number): void;
}

export function Suggestions({ id, suggestions, chosen, onChoose }: SuggestionsProps) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Suggestions"
      class="suggestions"
      hidden={suggestions.length === 0}
    >
      {suggestions.map((suggestion, at) => (
        <div
          key={suggestion.text}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          class="option"
          onMouseDown={(event) => {
            // The field keeps the focus.
            event.preventDefault();
            onChoose(at);
          }}
        >
          <span class="mono clip">{suggestion.text}</span>
          <span class="meta push">{suggestion.help}</span>
        </div>
      ))}
    </div>
  );
}
