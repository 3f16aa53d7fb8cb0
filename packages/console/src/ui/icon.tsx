import {
  ArrowDown,
  ArrowUp,
  Braces,
  ChartNoAxesColumn,
  Check,
  ChevronDown,
  ChevronRight,
  ChevronUp,
  CircleAlert,
  CircleHelp,
  Clock,
  Columns3,
  Copy,
  CopyPlus,
  Database,
  Download,
  Ellipsis,
  Eye,
  File,
  FileArchive,
  FileCode,
  FileImage,
  FileMusic,
  FileSpreadsheet,
  FileText,
  FileVideoCamera,
  Filter,
  Folder,
  FolderSearch,
  Globe,
  HardDrive,
  House,
  Info,
  KeyRound,
  LayoutGrid,
  Link,
  List,
  LogOut,
  Menu,
  Monitor,
  Moon,
  PanelRight,
  Pause,
  Pencil,
  Play,
  Plus,
  RefreshCw,
  RotateCcw,
  Save,
  Search,
  Sun,
  Trash2,
  TriangleAlert,
  Undo2,
  Upload,
  Webhook,
  X,
} from 'lucide';
import { createElement } from 'preact';

/** The icons of the console by their names in Lucide. Only these are in the bundle. */
const icons = {
  'arrow-down': ArrowDown,
  'arrow-up': ArrowUp,
  chart: ChartNoAxesColumn,
  braces: Braces,
  check: Check,
  'chevron-down': ChevronDown,
  'chevron-right': ChevronRight,
  'chevron-up': ChevronUp,
  'circle-alert': CircleAlert,
  help: CircleHelp,
  clock: Clock,
  columns: Columns3,
  copy: Copy,
  duplicate: CopyPlus,
  database: Database,
  download: Download,
  ellipsis: Ellipsis,
  eye: Eye,
  file: File,
  'file-archive': FileArchive,
  'file-code': FileCode,
  'file-image': FileImage,
  'file-music': FileMusic,
  'file-table': FileSpreadsheet,
  'file-text': FileText,
  'file-video': FileVideoCamera,
  filter: Filter,
  folder: Folder,
  globe: Globe,
  go: FolderSearch,
  drive: HardDrive,
  home: House,
  info: Info,
  key: KeyRound,
  link: Link,
  list: List,
  'log-out': LogOut,
  menu: Menu,
  monitor: Monitor,
  moon: Moon,
  panel: PanelRight,
  pause: Pause,
  pencil: Pencil,
  play: Play,
  plus: Plus,
  refresh: RefreshCw,
  revert: RotateCcw,
  save: Save,
  search: Search,
  sun: Sun,
  tiles: LayoutGrid,
  trash: Trash2,
  warning: TriangleAlert,
  undo: Undo2,
  upload: Upload,
  webhook: Webhook,
  x: X,
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
