/** What is made when it is first needed, and let go when nobody uses it any more. */
export interface PerSpace<Lane> {
  /** Does the work in the lane of that name. */
  use<T>(name: string, work: (lane: Lane) => Promise<T>): Promise<T>;
}

export function createPerSpace<Lane>(create: (name: string) => Lane): PerSpace<Lane> {
  const lanes = new Map<string, { readonly lane: Lane; users: number }>();

  return {
    async use(name, work) {
      const used = lanes.get(name) ?? { lane: create(name), users: 0 };
      lanes.set(name, used);
      used.users++;
      try {
        return await work(used.lane);
      } finally {
        used.users--;
        if (used.users === 0) lanes.delete(name);
      }
    },
  };
}
