const paths = {
  add: "M12 5v14M5 12h14",
  agent: "M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM4.5 20c.8-3.6 3.8-5.5 7.5-5.5s6.7 1.9 7.5 5.5",
  alert:
    "M12 8v5M12 16.5v.01M10.3 4.5 2.8 17.5a2 2 0 0 0 1.7 3h15a2 2 0 0 0 1.7-3L13.7 4.5a2 2 0 0 0-3.4 0z",
  archive: "M4 5h16v4H4zM5.5 9v10h13V9M10 13h4",
  arrowDown: "M12 5v14M6 13l6 6 6-6",
  attach:
    "M19.5 11.5l-7.6 7.6a4.6 4.6 0 0 1-6.5-6.5l8-8a3.1 3.1 0 0 1 4.4 4.4l-8 8a1.6 1.6 0 0 1-2.2-2.2l7.3-7.3",
  chart: "M5 20V11M12 20V5M19 20v-6M3 20h18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  chevron: "M9 6l6 6-6 6",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  cross: "M7 7l10 10M17 7L7 17",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  edit: "M4 20l1-4L16.5 4.5a2.1 2.1 0 0 1 3 3L8 19z",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  hand: "M12 3l7.5 3v5.5c0 4.5-3.2 7.8-7.5 9.5-4.3-1.7-7.5-5-7.5-9.5V6z",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5a3 3 0 0 0 6 0h5",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2",
  menu: "M4 7h16M4 12h16M4 17h16",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  more: "M4.5 12a1 1 0 1 0 2 0 1 1 0 1 0-2 0M11 12a1 1 0 1 0 2 0 1 1 0 1 0-2 0M17.5 12a1 1 0 1 0 2 0 1 1 0 1 0-2 0",
  pin: "M9 4h6l-1 6 3.5 3.5h-11L10 10zM12 13.5V21",
  plug: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4",
  question: "M9.2 9.2a2.9 2.9 0 1 1 4.2 2.7c-.9.5-1.4 1-1.4 2.1M12 17.5v.01",
  retry: "M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5",
  script: "M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM20 20l-4-4",
  send: "M12 20V5M5.5 11.5L12 5l6.5 6.5",
  sliders: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  spark: "M12 3l2.2 6.3L20.5 11.5l-6.3 2.2L12 20l-2.2-6.3L3.5 11.5l6.3-2.2z",
  star: "M12 4l2.5 5.1 5.6.8-4 4 .9 5.6-5-2.6-5 2.6.9-5.6-4-4 5.6-.8z",
  stop: "M7 7h10v10H7z",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  tools:
    "M14.5 6.5a4 4 0 0 1 5.2-1.7l-2.7 2.7 1.5 1.5 2.7-2.7a4 4 0 0 1-5.7 4.9L8 18.7a2 2 0 0 1-2.8-2.8l7.5-7.5a4 4 0 0 1 1.8-1.9z",
  trash: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 13h9l1-13M10 11v5.5M14 11v5.5",
  variables:
    "M8 4C5.5 4 6.5 8 6 10s-2 2-2 2 1.5 0 2 2-.5 6 2 6M16 4c2.5 0 1.5 4 2 6s2 2 2 2-1.5 0-2 2 .5 6-2 6M10 10l4 4M14 10l-4 4",
  wait: "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v4.5l3 2",
} as const;

export type IconName = keyof typeof paths;

/** A line drawing without a text alternative, because the text next to it states the meaning. */
export function Icon(props: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width={props.size ?? 18}
      height={props.size ?? 18}
      aria-hidden="true"
    >
      <path d={paths[props.name]} />
    </svg>
  );
}
