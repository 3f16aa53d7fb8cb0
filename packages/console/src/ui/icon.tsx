import * as lucide from 'lucide';
import { createElement } from 'preact';

/** The icons of the console by their names in Lucide. Only these are in the bundle. */
const icons = {
  'arrow-down': lucide.ArrowDown,
  'arrow-up': lucide.ArrowUp,
  chart: lucide.ChartNoAxesColumn,
  braces: lucide.Braces,
  check: lucide.Check,
  'chevron-down': lucide.ChevronDown,
  'chevron-right': lucide.ChevronRight,
  'chevron-up': lucide.ChevronUp,
  'circle-alert': lucide.CircleAlert,
  help: lucide.CircleHelp,
  clock: lucide.Clock,
  columns: lucide.Columns3,
  copy: lucide.Copy,
  duplicate: lucide.CopyPlus,
  database: lucide.Database,
  download: lucide.Download,
  ellipsis: lucide.Ellipsis,
  file: lucide.File,
  'file-archive': lucide.FileArchive,
  'file-code': lucide.FileCode,
  'file-image': lucide.FileImage,
  'file-music': lucide.FileMusic,
  'file-table': lucide.FileSpreadsheet,
  'file-text': lucide.FileText,
  'file-video': lucide.FileVideoCamera,
  filter: lucide.Filter,
  folder: lucide.Folder,
  globe: lucide.Globe,
  go: lucide.FolderSearch,
  drive: lucide.HardDrive,
  home: lucide.House,
  key: lucide.KeyRound,
  link: lucide.Link,
  list: lucide.List,
  'log-out': lucide.LogOut,
  menu: lucide.Menu,
  monitor: lucide.Monitor,
  moon: lucide.Moon,
  pause: lucide.Pause,
  pencil: lucide.Pencil,
  play: lucide.Play,
  plus: lucide.Plus,
  refresh: lucide.RefreshCw,
  revert: lucide.RotateCcw,
  save: lucide.Save,
  search: lucide.Search,
  sun: lucide.Sun,
  tiles: lucide.LayoutGrid,
  trash: lucide.Trash2,
  warning: lucide.TriangleAlert,
  undo: lucide.Undo2,
  upload: lucide.Upload,
  webhook: lucide.Webhook,
  x: lucide.X,
};

export type IconName = keyof typeof icons;

/** An icon next to a text, or in a button that has a label: screen readers pass over it. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {icons[name].map(([tag, attributes]) =>
        createElement(tag, { key: JSON.stringify(attributes), ...attributes }),
      )}
    </svg>
  );
}
