// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {MaplePool} from "./Waiting.sol";

/// @notice Holds the shares of a Maple pool's requests in a queue and pays their owners, except those in manual mode,
/// who redeem what was processed themselves. Anyone may act as the pool delegate.
abstract contract MapleQueue {
    struct Waiting {
        address owner;
        uint256 shares;
    }

    MaplePool public immutable pool;
    mapping(address => bool) public isManualWithdrawal;
    /// @notice Processed shares that an owner in manual mode can redeem.
    mapping(address => uint256) public manualSharesAvailable;
    mapping(uint256 => Waiting) internal _requests;
    mapping(address => uint256[]) internal _idsOf;
    uint256 private _lastId;

    event ManualSharesDecreased(address indexed owner, uint256 sharesDecreased);

    constructor(MaplePool pool_) {
        pool = pool_;
    }

    modifier onlyPool() {
        require(msg.sender == address(pool), "WM:NOT_POOL");
        _;
    }

    function _created(uint256 id, address owner, uint256 shares) internal virtual;
    function _processed(uint256 id, address owner, uint256 shares) internal virtual;
    function _manual(uint256 id, address owner, uint256 shares) internal virtual;
    function _decreased(uint256 id, uint256 shares) internal virtual;
    function _removed(uint256 id) internal virtual;

    function lockedShares(address owner) external view returns (uint256) {
        return manualSharesAvailable[owner];
    }

    function redeemable(address owner) external view returns (uint256) {
        return manualSharesAvailable[owner];
    }

    /// @notice Returns the id of an owner's newest request, or 0.
    function requestIds(address owner) public view returns (uint256) {
        uint256 count = _idsOf[owner].length;
        return count == 0 ? 0 : _idsOf[owner][count - 1];
    }

    function setManualWithdrawal(address owner, bool manual) external {
        isManualWithdrawal[owner] = manual;
    }

    function addShares(uint256 shares, address owner) public virtual onlyPool {
        uint256 id = ++_lastId;
        _requests[id] = Waiting(owner, shares);
        _idsOf[owner].push(id);
        _created(id, owner, shares);
    }

    /// @notice Takes shares out of an owner's requests, from the newest on. The pool returns them.
    function take(uint256 shares, address owner) external onlyPool {
        require(requestIds(owner) != 0, "WM:RS:NOT_IN_QUEUE");
        while (shares > 0) {
            uint256 id = requestIds(owner);
            require(id != 0, "WM:RS:INSUFFICIENT_SHARES");
            uint256 part = _requests[id].shares < shares ? _requests[id].shares : shares;
            shares -= part;
            _reduce(id, part);
        }
    }

    /// @notice Checks a redemption. The queue itself redeems what it has processed.
    function use(uint256 shares, address owner) external onlyPool returns (uint256) {
        if (owner == address(this)) return shares;
        require(shares <= manualSharesAvailable[owner], "WM:PE:TOO_MANY_SHARES");
        manualSharesAvailable[owner] -= shares;
        emit ManualSharesDecreased(owner, shares);
        return shares;
    }

    /// @notice Processes all of an owner's requests.
    function settle(address owner) external {
        settlePart(owner, type(uint256).max);
    }

    /// @notice Processes an owner's requests, from the oldest on, as far as the shares go.
    function settlePart(address owner, uint256 shares) public {
        while (shares > 0 && _idsOf[owner].length > 0) {
            uint256 id = _idsOf[owner][0];
            uint256 part = _requests[id].shares < shares ? _requests[id].shares : shares;
            shares -= part;
            _processed(id, owner, part);
            _reduce(id, part);
            if (isManualWithdrawal[owner]) {
                manualSharesAvailable[owner] += part;
                _manual(id, owner, part);
            } else {
                pool.redeem(part, owner, address(this));
            }
        }
    }

    /// @notice Removes an owner's newest request, as the pool delegate may, and returns its shares.
    function giveBack(address owner) external {
        uint256 id = requestIds(owner);
        uint256 shares = _requests[id].shares;
        _reduce(id, shares);
        pool.transfer(owner, shares);
    }

    function _reduce(uint256 id, uint256 shares) internal {
        _requests[id].shares -= shares;
        if (_requests[id].shares > 0) {
            _decreased(id, shares);
            return;
        }
        uint256[] storage ids = _idsOf[_requests[id].owner];
        uint256 at;
        while (ids[at] != id) ++at;
        for (; at + 1 < ids.length; ++at) ids[at] = ids[at + 1];
        ids.pop();
        delete _requests[id];
        _removed(id);
    }
}

/// @notice Behaves like version 1 of Maple's queue, which takes one request of an owner at a time.
contract MapleSingleQueue is MapleQueue {
    event RequestCreated(uint128 indexed requestId, address indexed owner, uint256 shares);
    event RequestProcessed(uint128 indexed requestId, address indexed owner, uint256 shares, uint256 assets);
    event RequestDecreased(uint128 indexed requestId, uint256 shares);
    event RequestRemoved(uint128 indexed requestId);
    event ManualSharesIncreased(address indexed owner, uint256 sharesAdded);

    constructor(MaplePool pool_) MapleQueue(pool_) {}

    function requests(uint128 id) external view returns (address owner, uint256 shares) {
        return (_requests[id].owner, _requests[id].shares);
    }

    function addShares(uint256 shares, address owner) public override {
        require(requestIds(owner) == 0, "WM:AS:IN_QUEUE");
        super.addShares(shares, owner);
    }

    function _created(uint256 id, address owner, uint256 shares) internal override {
        emit RequestCreated(uint128(id), owner, shares);
    }

    function _processed(uint256 id, address owner, uint256 shares) internal override {
        emit RequestProcessed(uint128(id), owner, shares, pool.convertToExitAssets(shares));
    }

    function _manual(uint256, address owner, uint256 shares) internal override {
        emit ManualSharesIncreased(owner, shares);
    }

    function _decreased(uint256 id, uint256 shares) internal override {
        emit RequestDecreased(uint128(id), shares);
    }

    function _removed(uint256 id) internal override {
        emit RequestRemoved(uint128(id));
    }
}

/// @notice Behaves like version 2 of Maple's queue, which takes several requests of an owner.
contract MapleMultiQueue is MapleQueue {
    event RequestCreated(uint256 indexed requestId, address indexed owner, uint256 shares);
    event RequestProcessed(uint256 indexed requestId, address indexed owner, uint256 shares, uint256 assets);
    event RequestDecreased(uint256 indexed requestId, uint256 shares);
    event RequestRemoved(uint256 indexed requestId);
    event ManualSharesIncreased(uint256 indexed requestId, address indexed owner, uint256 sharesAdded);

    constructor(MaplePool pool_) MapleQueue(pool_) {}

    function requests(uint256 id) external view returns (address owner, uint256 shares) {
        return (_requests[id].owner, _requests[id].shares);
    }

    function requestsByOwner(address owner) external view returns (uint256[] memory ids, uint256[] memory shares) {
        ids = _idsOf[owner];
        shares = new uint256[](ids.length);
        for (uint256 i; i < ids.length; ++i) shares[i] = _requests[ids[i]].shares;
    }

    /// @notice Takes shares out of one of the caller's requests.
    function removeSharesById(uint256 id, uint256 shares) external returns (uint256 returned, uint256 remaining) {
        require(_requests[id].owner == msg.sender, "WM:RSBI:NOT_OWNER");
        _reduce(id, shares);
        pool.transfer(msg.sender, shares);
        return (shares, _requests[id].shares);
    }

    function _created(uint256 id, address owner, uint256 shares) internal override {
        emit RequestCreated(id, owner, shares);
    }

    function _processed(uint256 id, address owner, uint256 shares) internal override {
        emit RequestProcessed(id, owner, shares, pool.convertToExitAssets(shares));
    }

    function _manual(uint256 id, address owner, uint256 shares) internal override {
        emit ManualSharesIncreased(id, owner, shares);
    }

    function _decreased(uint256 id, uint256 shares) internal override {
        emit RequestDecreased(id, shares);
    }

    function _removed(uint256 id) internal override {
        emit RequestRemoved(id);
    }
}
