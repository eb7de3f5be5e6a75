//! First stage: conversion of attribute tokens to data. Tokens that cannot be parsed are reported and skipped.

mod args;
mod category;
mod component;
mod cvar;
mod enumeration;
mod event;
mod plugin;
mod pvar;
mod source;

pub(crate) use args::{At, ungrouped};
pub(crate) use category::CategoryArgs;
pub(crate) use component::ComponentArgs;
pub(crate) use cvar::CvarArgs;
pub(crate) use enumeration::{EnumArgs, ItemArgs};
pub(crate) use event::{ElementArgs, EventArgs};
pub(crate) use plugin::PluginArgs;
pub(crate) use pvar::{Flag, PvarArgs};
pub(crate) use source::SourceArgs;
