/** Says what is wrong, to screen readers at once. Nothing for no text. */
export function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
