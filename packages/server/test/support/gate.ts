/** A point that a test holds others at until it lets them on. */
export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
  fail(cause: Error): void;
}

export function createGate(): Gate {
  let open = () => {};
  let fail: (cause: Error) => void = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { passed, open, fail };
}
