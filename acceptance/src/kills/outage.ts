/** Whether a part is away at the moment: only then may a request be answered 503. */
export interface Outage {
  begin(): void;
  end(): void;
  /** To be called at the start of a request: gives whether an outage has touched the time since. */
  watch(): () => boolean;
}

export function createOutage(): Outage {
  let isOn = false;
  let count = 0;
  return {
    begin() {
      isOn = true;
      count++;
    },
    end() {
      isOn = false;
    },
    watch() {
      const before = count;
      const wasOn = isOn;
      return () => wasOn || count !== before;
    },
  };
}
