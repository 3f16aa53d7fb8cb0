interface TabsProps<Name extends string> {
  readonly label: string;
  /** What each says, by its name, in their order. */
  readonly tabs: Readonly<Partial<Record<Name, string>>>;
  readonly chosen: Name;
  onChoose(name: Name): void;
}

/** A choice between views of the same thing. Arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  const all = Object.entries(tabs) as [Name, string][];
  function onKeyDown(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = all.findIndex(([name]) => name === chosen);
    const next = (at + step + all.length) % all.length;
    const name = all[next]?.[0];
    if (name === undefined) return;
    onChoose(name);
    (event.currentTarget.children[next] as HTMLElement | undefined)?.focus();
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {all.map(([name, text]) => (
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
