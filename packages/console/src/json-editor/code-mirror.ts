import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  syntaxHighlighting,
} from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export interface CodeMirrorOptions {
  readonly text: string;
  readonly label: string;
  /** Called when the person changes the text, and not by `setText`. */
  onChange(text: string): void;
  /** Called on Ctrl Enter, or Command Enter. */
  onSubmit(): void;
}

export interface CodeMirror {
  setText(text: string): void;
  focus(): void;
  destroy(): void;
}

/** Marks a change that `setText` made. */
const fromOutside = Annotation.define<true>();

/** The colours of the console, which reach into the shadow tree as custom properties. */
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--text)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.number, color: 'var(--accent)' },
  { tag: tags.bool, color: 'var(--boolean)' },
  { tag: tags.null, color: 'var(--muted)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--text)', backgroundColor: 'var(--background)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--background)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--surface)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--selection)',
  },
  '.cm-panels, .cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    borderColor: 'var(--line)',
  },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--surface)',
    borderColor: 'var(--line)',
    color: 'var(--muted)',
  },
});

/**
 * An editor for JSON in a shadow tree: there CodeMirror adds its styles as constructed style sheets, which the policy of
 * the page allows. In the page itself it would add `<style>` elements, which the policy refuses.
 */
export function openCodeMirror(host: HTMLElement, options: CodeMirrorOptions): CodeMirror {
  const { text, label, onChange, onSubmit } = options;
  const submit = () => {
    onSubmit();
    return true;
  };
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        json(),
        linter(jsonParseLinter()),
        syntaxHighlighting(colours),
        theme,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([
          { key: 'Mod-Enter', run: submit },
          ...defaultKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...searchKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          const isOwn = update.transactions.some((each) => each.annotation(fromOutside));
          if (update.docChanged && !isOwn) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next },
        annotations: fromOutside.of(true),
      });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
