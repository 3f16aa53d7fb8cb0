interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, text: string])[];
  readonly chosen: Name;
  onChoose(name: Name): void;
}

/** A choice between views of the same thing. Arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  function onKeyDown(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(([name]) => name === chosen);
    const next = (at + step + tabs.length) % tabs.length;
    const name = tabs[next]?.[0];
    if (name === undefined) return;
    onChoose(name);
    (event.currentTarget.children[next] as HTMLElement | undefined)?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(([name, text]) => (
        <button
          key={name}
          type="button"
          role="tab"
          class="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
